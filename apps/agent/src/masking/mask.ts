import { formatForMachine, formatForPerson, type MatrixType } from '@batuta/matrix';
import { StepError } from '../flow/step-error';
import { FormIndex } from './form-index';
import { formsOf } from './sensitive-forms';
import { wellFormed } from './well-formed';

export const HIDDEN = '•••';

/** Texts and numbers inside one value. */
const MOST_TEXTS = 100_000;
const SHORTEST_DERIVED = 8;
/** Of all that one execution hides, in all its forms: a loop that makes new secrets must not fill the agent's memory. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** What an index entry costs besides its text. */
const ENTRY = 64;
/** Read beyond an excerpt, to recognize what begins within it. */
const BEYOND = 4_000;

/**
 * Keeps sensitive values out of everything that leaves an execution as text (interpretation 36). It knows the values, not the
 * variables: wherever one comes up again, also inside an error message or encoded, it is replaced.
 */
export class Mask {
  private readonly forms = new FormIndex();
  private readonly known = new Set<string>();
  private characters = 0;

  /**
   * Hides this value from now on; of a list or an object every text and number inside, too. StepError when an execution
   * has more to hide than can be kept: better that it fails than that a line shows what it must not.
   */
  hide(value: unknown, type?: MatrixType): void {
    this.learn(textsOf(value, type));
  }

  /**
   * Hides what was made out of sensitive values. Only longer texts: a formula over a secret may well give `true` or
   * `150`, and hiding those everywhere would leave no readable log.
   */
  hideDerived(value: unknown): void {
    this.learn(textsOf(value, undefined).filter(({ text }) => text.length >= SHORTEST_DERIVED));
  }

  /** `cut` = the text may end in the middle of a value, whose beginning is then hidden, too. */
  redact(text: string, { cut = false } = {}): string {
    return this.forms.replaceIn(text, HIDDEN, cut);
  }

  /** Redacts first and cuts then, so that no cut leaves half of a secret. */
  excerpt(text: string, most: number): string {
    const isLong = text.length > most + BEYOND;
    const clean = this.redact(isLong ? text.slice(0, most + BEYOND) : text, { cut: isLong });
    return !isLong && clean.length <= most ? clean : `${wellFormed(clean.slice(0, most))}…`;
  }

  private count(texts: readonly string[]): void {
    for (const { length } of texts) this.characters += length + ENTRY;
    if (this.characters > MOST_CHARACTERS) throw tooMuch();
  }

  private learn(texts: Iterable<Shown>): void {
    for (const { text, isNumber } of texts) {
      const key = isNumber ? `number ${text}` : `text ${text}`;
      if (this.known.has(key)) continue;
      const forms = isNumber ? [text] : formsOf(text);
      this.count([key, ...forms]);
      this.known.add(key);
      for (const form of forms) {
        if (isNumber) this.forms.addNumber(form);
        else this.forms.add(form);
      }
    }
  }
}

/** A text in which a person or a machine would read a value. */
interface Shown {
  text: string;
  isNumber: boolean;
}

function textsOf(value: unknown, type: MatrixType | undefined): Shown[] {
  const texts: Shown[] = [];
  collect(value, type, texts);
  return texts;
}

function tooMuch(): StepError {
  return new StepError('the execution holds more sensitive text than can be kept out of its log');
}

function collect(value: unknown, type: MatrixType | undefined, into: Shown[]): void {
  if (value === null || value === undefined || typeof value === 'boolean') return;
  if (into.length >= MOST_TEXTS) throw tooMuch();
  if (typeof value === 'object') {
    into.push({ text: JSON.stringify(value), isNumber: false });
    for (const item of Object.values(value)) collect(item, undefined, into);
    return;
  }
  const isNumber = typeof value === 'number';
  const texts = [formatForPerson(type, value), formatForMachine(type, value), ...(isNumber ? [String(value)] : [])];
  for (const text of new Set(texts)) into.push({ text, isNumber });
}
