import { hashOf, TextHashes } from './text-hashes';

/** Number of characters at the beginning of a form by which the index finds it. Shorter forms are masked only where they stand alone. */
const PREFIX_LENGTH = 3;
const WORD_CHARACTER = /[\p{L}\p{N}_]/u;
/** A form that is cut in the middle of a text keeps at least this number of characters: MySQL, for instance, keeps 64 of a value. */
const MIN_CUT_LENGTH = 32;
/** What follows a value that was cut in the middle of a text, such as the message of a database server. */
const CUT_MARK = /['"`…]|\.\.\./g;

/** The forms that begin with the same characters. */
interface FormBucket {
  forms: Set<string>;
  /** Hashes of the forms, by length of the form. */
  texts: Map<number, Set<number>>;
  /** Hashes of forms that are found only where no other digit touches them: 900 is not found in 19003. */
  wholeNumbers: Map<number, Set<number>>;
}

/**
 * Finds and replaces any number of texts, called forms, in one pass over another text. It compares hashes: the time for a
 * position depends on how many different lengths the forms with its prefix have, not on the number and length of these forms. Otherwise
 * someone who chooses secrets and texts could stop the process. When two texts have the same hash, which is rare, a text that is not a
 * secret is hidden as well.
 */
export class SecretFormIndex {
  private readonly byPrefix = new Map<string, FormBucket>();
  /** 1 at the hash of the prefix of each form; at most positions of a text a 0 here makes a look-up unnecessary. */
  private readonly marks = new Uint8Array(65_536);
  /**
   * Forms of one or two characters, masked only where they stand alone: masking them inside of words would hide half of
   * every text.
   */
  private readonly short = new Set<string>();
  /** The first character of each short form that has two. */
  private readonly shortBeginnings = new Set<string>();

  addNumber(form: string): void {
    if (form.length < PREFIX_LENGTH) return this.addShort(form);
    const { forms, wholeNumbers } = this.bucketOf(form);
    forms.add(form);
    addHash(wholeNumbers, form);
  }

  add(form: string): void {
    if (form.length < PREFIX_LENGTH) return this.addShort(form);
    const { forms, texts } = this.bucketOf(form);
    forms.add(form);
    addHash(texts, form);
  }

  /**
   * Replaces every occurrence; occurrences that touch or overlap become one replacement. With `cut` it also replaces the
   * beginning of a form at the end of the text, and a long one before a quote or an ellipsis.
   */
  replaceIn(text: string, replacement: string, cut: boolean): string {
    if (this.byPrefix.size === 0 && this.short.size === 0) return text;
    const search = new HashedText(text);
    let clean = '';
    let plainFrom = 0;
    let hiddenTo = 0;
    const last = this.short.size === 0 ? text.length - PREFIX_LENGTH : text.length - 1;
    for (let position = 0; position <= last; position += 1) {
      const end = Math.max(this.matchAt(search, position, hiddenTo, cut), this.shortMatchAt(text, position, cut));
      if (end <= hiddenTo) continue;
      if (position > hiddenTo || hiddenTo === 0) clean += text.slice(plainFrom, position) + replacement;
      hiddenTo = end;
      plainFrom = end;
    }
    return clean + text.slice(plainFrom);
  }

  private addShort(form: string): void {
    if (form.trim() === '') return;
    this.short.add(form);
    if (form.length > 1) this.shortBeginnings.add(form.charAt(0));
  }

  private bucketOf(form: string): FormBucket {
    const prefix = form.slice(0, PREFIX_LENGTH);
    const bucket = this.byPrefix.get(prefix) ?? { forms: new Set(), texts: new Map(), wholeNumbers: new Map() };
    this.byPrefix.set(prefix, bucket);
    this.marks[markOf(form, 0)] = 1;
    return bucket;
  }

  /** End of the longest form that begins at `position`; 0 = none. What is before `hiddenTo` is hidden already. */
  private matchAt(search: HashedText, position: number, hiddenTo: number, cut: boolean): number {
    const { text } = search;
    if (position + PREFIX_LENGTH > text.length || this.marks[markOf(text, position)] === 0) return 0;
    const bucket = this.byPrefix.get(text.slice(position, position + PREFIX_LENGTH));
    if (!bucket) return 0;
    let end = 0;
    for (const [length, hashes] of bucket.texts) {
      if (position + length > end && search.matchesAt(hashes, position, length)) end = position + length;
    }
    for (const [length, hashes] of bucket.wholeNumbers) {
      const isAlone = position + length > end && !touchesDigits(text, position, position + length);
      if (isAlone && search.matchesAt(hashes, position, length)) end = position + length;
    }
    return end === 0 && cut ? endOfBeginning(search, position, hiddenTo, bucket) : end;
  }

  /** End of a form of one or two characters that stands alone at `position`; 0 = none. */
  private shortMatchAt(text: string, position: number, cut: boolean): number {
    if (this.short.size === 0 || isWordCharacter(text.charAt(position - 1))) return 0;
    for (const end of [position + 2, position + 1]) {
      if (end > text.length || !this.short.has(text.slice(position, end))) continue;
      if (!isWordCharacter(text.charAt(end))) return end;
    }
    const isCut = cut && position === text.length - 1 && this.shortBeginnings.has(text.charAt(position));
    return isCut ? text.length : 0;
  }
}

/** A text with the hashes of its parts, which are computed once a prefix is found. */
class HashedText {
  private hashes: TextHashes | undefined;
  private cutMark = -1;

  constructor(readonly text: string) {}

  matchesAt(hashes: ReadonlySet<number>, position: number, length: number): boolean {
    if (position + length > this.text.length) return false;
    this.hashes ??= new TextHashes(this.text);
    return hashes.has(this.hashes.of(position, length));
  }

  /** The place of the first mark of a cut from `position` on, or the end of the text. Each call must have a higher position than the last one. */
  cutMarkFrom(position: number): number {
    if (this.cutMark < position) this.cutMark = cutMarkIn(this.text, position);
    return this.cutMark;
  }
}

function addHash(hashes: Map<number, Set<number>>, form: string): void {
  const ofLength = hashes.get(form.length) ?? new Set();
  hashes.set(form.length, ofLength.add(hashOf(form)));
}

function markOf(text: string, position: number): number {
  const [first, second] = [text.charCodeAt(position), text.charCodeAt(position + 1)];
  return (first * 961 + second * 31 + text.charCodeAt(position + 2)) & 0xffff;
}

/**
 * End of a beginning of a form at `position`, behind which the form may have been cut: the end of the text, or the last mark of a cut up to
 * which the text is that of a form, behind MIN_CUT_LENGTH characters; 0 = none. A form may have such a mark itself. The further marks are
 * searched only for a first mark beyond `hiddenTo`, and so once for each mark: otherwise a text of quotes would take too long.
 */
function endOfBeginning(search: HashedText, position: number, hiddenTo: number, bucket: FormBucket): number {
  const { text } = search;
  if (isBeginning(text.slice(position), bucket.forms)) return text.length;
  let end = search.cutMarkFrom(position + MIN_CUT_LENGTH);
  if (!isBeginning(text.slice(position, end), bucket.forms)) return 0;
  if (end <= hiddenTo) return end;
  let forms = formsWith(text.slice(position, end), 0, bucket.forms);
  for (;;) {
    const next = cutMarkIn(text, end + 1);
    forms = formsWith(text.slice(end, next), end - position, forms);
    if (forms.length === 0) return end;
    end = next;
  }
}

/** Whether a longer form than `rest` begins with it. */
function isBeginning(rest: string, forms: Iterable<string>): boolean {
  for (const form of forms) if (form.length > rest.length && form.startsWith(rest)) return true;
  return false;
}

/** The forms that have `part` at `offset` and go on behind it. */
function formsWith(part: string, offset: number, forms: Iterable<string>): string[] {
  return [...forms].filter((form) => form.length > offset + part.length && form.startsWith(part, offset));
}

/** The place of the first mark of a cut from `position` on, or the end of the text. */
function cutMarkIn(text: string, position: number): number {
  CUT_MARK.lastIndex = position;
  return CUT_MARK.exec(text)?.index ?? text.length;
}

function isWordCharacter(character: string): boolean {
  return WORD_CHARACTER.test(character);
}

function touchesDigits(text: string, start: number, end: number): boolean {
  return isDigit(text.charAt(start - 1)) || isDigit(text.charAt(end));
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}
