import { formatForMachine, formatForPerson, type MatrixType } from '@batuta/matrix';
import { formsOf } from './sensitive-forms';
import { wellFormed } from './well-formed';

export const HIDDEN = '•••';

const MOST_LEAVES = 2_000;
/** A cut text may end within a secret; this many characters of its beginning are enough to hide the rest. */
const SHORTEST_BEGINNING = 3;

/**
 * Keeps sensitive values out of everything that leaves an execution as text (reading 36). It knows the values, not the
 * variables: wherever one comes up again, also inside an error message or encoded, it is replaced.
 */
export class Mask {
  private forms: string[] = [];
  private readonly known = new Set<string>();

  /** Hides this value from now on; of a list or an object every text and number inside, too. */
  hide(value: unknown, type?: MatrixType): void {
    const texts = new Set<string>();
    collect(value, type, texts);
    this.learn([...texts]);
  }

  /**
   * Hides what was made out of sensitive values. Only longer texts: a formula over a secret may well give `true` or
   * `150`, and hiding those everywhere would leave no readable log.
   */
  hideDerived(value: unknown): void {
    const texts = new Set<string>();
    collect(value, undefined, texts);
    this.learn([...texts].filter((text) => text.length >= 8));
  }

  /** `cut` = the text may end in the middle of a value. */
  redact(text: string, { cut = false } = {}): string {
    let clean = text;
    for (const form of this.forms) if (clean.includes(form)) clean = clean.replaceAll(form, () => HIDDEN);
    return cut ? this.withoutBeginning(clean) : clean;
  }

  /** Redacts first and cuts then, so that no cut leaves half of a secret. */
  excerpt(text: string, most: number): string {
    const clean = this.redact(text);
    return clean.length <= most ? clean : `${wellFormed(clean.slice(0, most))}…`;
  }

  private withoutBeginning(text: string): string {
    let hidden = 0;
    for (const form of this.forms) {
      for (let length = Math.min(form.length - 1, text.length); length >= SHORTEST_BEGINNING; length -= 1) {
        if (length <= hidden) break;
        if (text.endsWith(form.slice(0, length))) hidden = length;
      }
    }
    return hidden === 0 ? text : text.slice(0, -hidden) + HIDDEN;
  }

  private learn(texts: string[]): void {
    const fresh = texts.filter((text) => !this.known.has(text));
    if (fresh.length === 0) return;
    for (const text of fresh) this.known.add(text);
    // Longest first: a value that contains another is hidden whole.
    this.forms = [...new Set([...this.forms, ...fresh.flatMap((text) => formsOf(text))])].toSorted(
      (a, b) => b.length - a.length,
    );
  }
}

/** The texts in which a person or a machine would read the value. */
function collect(value: unknown, type: MatrixType | undefined, into: Set<string>): void {
  if (into.size >= MOST_LEAVES || value === null || value === undefined || typeof value === 'boolean') return;
  if (typeof value !== 'object') {
    into.add(formatForPerson(type, value));
    into.add(formatForMachine(type, value));
    if (typeof value === 'number') into.add(String(value));
    return;
  }
  into.add(JSON.stringify(value));
  for (const item of Object.values(value)) collect(item, undefined, into);
}
