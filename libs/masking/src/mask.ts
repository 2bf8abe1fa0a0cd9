import { formatForMachine, formatForPerson, type MatrixType } from '@batuta/matrix';
import { SecretFormIndex } from './secret-form-index';
import { rareFormsOf } from './rare-forms';
import { formsOf } from './sensitive-forms';
import { wellFormed } from './well-formed';

export const MASK_TEXT = '•••';

/** Maximum number of texts of one value: each text and number in it as people and as machines write it, and the JSON of each list and object. */
const MAX_TEXTS_PER_VALUE = 100_000;
const MIN_DERIVED_LENGTH = 8;
const TOO_MUCH_SENSITIVE_TEXT = 'the execution holds more sensitive text than can be kept out of its log';
/**
 * Maximum characters of all hidden forms of one execution, because a loop that makes new secrets must not fill the
 * agent's memory.
 */
const MAX_HIDDEN_CHARACTERS = 64 * 1024 * 1024;
/** The rare forms of all values may take this fraction of MAX_HIDDEN_CHARACTERS in addition. It is small, because rare forms take long to compute. */
const RARE_SHARE = 1 / 16;
/** The memory of an index entry besides its text, counted as this many characters. */
const ENTRY_CHARACTERS = 64;
/** Characters read after an excerpt, to recognize a sensitive value that begins within it. */
const LOOKAHEAD_CHARACTERS = 4_000;

/**
 * Keeps sensitive values out of every text that leaves an execution (interpretation 36). It knows values, not variables:
 * it replaces each occurrence of a value, also in an error message or encoded.
 */
export class Mask {
  private readonly forms = new SecretFormIndex();
  private readonly known = new Set<string>();
  private characters = 0;
  private rareCharacters = 0;

  /** `tooMuchToHide` makes the error of a value that exceeds the bounds; `maxCharacters` bounds all hidden forms together. */
  constructor(
    private readonly tooMuchToHide = () => new Error(TOO_MUCH_SENSITIVE_TEXT),
    private readonly maxCharacters = MAX_HIDDEN_CHARACTERS,
  ) {}

  /**
   * Hides this value from now on, and every text and number inside a list or an object; booleans and null are not hidden. Throws
   * when the execution has more to hide than the bounds allow: a failure is better than a log line with a secret.
   */
  hide(value: unknown, type?: MatrixType): void {
    this.add(this.textsOf(value, type));
  }

  /**
   * Hides a value that was computed from sensitive values, if it is long enough: a formula over a secret may give `true` or
   * `150`, and a log that hides those everywhere is not readable.
   */
  hideDerived(value: unknown): void {
    this.add(this.textsOf(value, undefined).filter(({ text }) => text.length >= MIN_DERIVED_LENGTH));
  }

  /**
   * Masks a text. With `cut` it also masks the beginning of a value whose rest is missing: at the end of the text any beginning, and before a quote
   * or an ellipsis a long one.
   */
  redact(text: string, { cut = false } = {}): string {
    return this.forms.replaceIn(text, MASK_TEXT, cut);
  }

  /**
   * Masks a name that the flow gives, such as that of a step, only if it is a sensitive value as a whole: everybody who reads the log knows
   * it, so a value that occurs in it by chance is not shown, and with a mask in it nobody finds the step.
   */
  redactIfWhole(name: string): string {
    const masked = this.redact(name);
    return masked === MASK_TEXT ? masked : name;
  }

  /**
   * The masked beginning of a text, of at most `maxLength` characters, with `…` behind it if the text is longer. The text is masked before it
   * is cut, so that no part of a secret remains.
   */
  excerpt(text: string, maxLength: number): string {
    const isLong = text.length > maxLength + LOOKAHEAD_CHARACTERS;
    const clean = this.redact(isLong ? text.slice(0, maxLength + LOOKAHEAD_CHARACTERS) : text, { cut: isLong });
    return !isLong && clean.length <= maxLength ? clean : `${wellFormed(clean.slice(0, maxLength))}…`;
  }

  /** Hides the rare forms too, while they are few: no execution fails or waits because of them. */
  private addRareForms(text: string): void {
    if (this.rareCharacters > this.maxCharacters * RARE_SHARE) return;
    const forms = rareFormsOf(text);
    this.rareCharacters += charactersOf(forms);
    for (const form of forms) this.forms.add(form);
  }

  private textsOf(value: unknown, type: MatrixType | undefined): ValueText[] {
    const texts: ValueText[] = [];
    if (!collectTexts(value, type, texts)) throw this.tooMuchToHide();
    return texts;
  }

  private reserveCharacters(texts: readonly string[]): void {
    this.characters += charactersOf(texts);
    if (this.characters > this.maxCharacters) throw this.tooMuchToHide();
  }

  private add(texts: Iterable<ValueText>): void {
    for (const { text, isNumber } of texts) {
      const key = isNumber ? `number ${text}` : `text ${text}`;
      if (this.known.has(key)) continue;
      const forms = isNumber ? [text] : formsOf(text);
      this.reserveCharacters([key, ...forms]);
      this.known.add(key);
      if (!isNumber) this.addRareForms(text);
      for (const form of forms) {
        if (isNumber) this.forms.addNumber(form);
        else this.forms.add(form);
      }
    }
  }
}

function charactersOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length + ENTRY_CHARACTERS, 0);
}

/** A value as text, for people or for machines. */
interface ValueText {
  text: string;
  isNumber: boolean;
}

/** Adds every text of the value, as people and machines write it, to `into`. False when there are more than about MAX_TEXTS_PER_VALUE. */
function collectTexts(value: unknown, type: MatrixType | undefined, into: ValueText[]): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return true;
  if (into.length >= MAX_TEXTS_PER_VALUE) return false;
  if (typeof value === 'object') {
    into.push({ text: JSON.stringify(value), isNumber: false });
    return Object.values(value).every((item) => collectTexts(item, undefined, into));
  }
  const isNumber = typeof value === 'number';
  const texts = [formatForPerson(type, value), formatForMachine(type, value), ...(isNumber ? [String(value)] : [])];
  for (const text of new Set(texts)) into.push({ text, isNumber });
  return true;
}
