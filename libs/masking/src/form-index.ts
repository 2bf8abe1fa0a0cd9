/** Characters of a form by which the index finds it. Shorter forms are found only where they stand alone. */
const PREFIX_LENGTH = 3;
const WORD_CHARACTER = /[\p{L}\p{N}_]/u;

/** Finds and replaces any number of texts, called forms, in one pass over another text. */
export class FormIndex {
  private readonly byPrefix = new Map<string, Set<string>>();
  private readonly wholeNumbers = new Set<string>();
  /** Forms of one or two characters: hiding them within words would hide half of every text. */
  private readonly short = new Set<string>();

  /** A number is found only where no other digit touches it: 900 is not found in 19003. */
  addNumber(form: string): void {
    if (form.length < PREFIX_LENGTH) return this.add(form);
    if (!this.byPrefix.get(form.slice(0, PREFIX_LENGTH))?.has(form)) this.wholeNumbers.add(form);
    this.index(form);
  }

  add(form: string): void {
    if (form.length < PREFIX_LENGTH) {
      if (form.trim() !== '') this.short.add(form);
      return;
    }
    this.wholeNumbers.delete(form);
    this.index(form);
  }

  /**
   * Replaces every occurrence; occurrences that touch or overlap become one replacement. With `cut` it also replaces the
   * beginning of a form at the end of the text.
   */
  replaceIn(text: string, replacement: string, cut: boolean): string {
    if (this.byPrefix.size === 0 && this.short.size === 0) return text;
    let clean = '';
    let plainFrom = 0;
    let hiddenTo = 0;
    const last = this.short.size === 0 ? text.length - PREFIX_LENGTH : text.length - 1;
    for (let position = 0; position <= last; position += 1) {
      const end = Math.max(this.matchAt(text, position, cut), this.shortMatchAt(text, position, cut));
      if (end <= hiddenTo) continue;
      if (position > hiddenTo || hiddenTo === 0) clean += text.slice(plainFrom, position) + replacement;
      hiddenTo = end;
      plainFrom = end;
    }
    return clean + text.slice(plainFrom);
  }

  private index(form: string): void {
    const prefix = form.slice(0, PREFIX_LENGTH);
    const forms = this.byPrefix.get(prefix);
    if (forms) forms.add(form);
    else this.byPrefix.set(prefix, new Set([form]));
  }

  /** End of the longest form that begins at `position`; 0 = none. */
  private matchAt(text: string, position: number, cut: boolean): number {
    let end = 0;
    for (const form of this.byPrefix.get(text.slice(position, position + PREFIX_LENGTH)) ?? []) {
      if (this.wholeNumbers.has(form) && touchesDigits(text, position, position + form.length)) continue;
      if (text.startsWith(form, position)) end = Math.max(end, position + form.length);
      else if (cut && position + form.length > text.length && form.startsWith(text.slice(position))) return text.length;
    }
    return end;
  }

  /** End of a form of one or two characters that stands alone at `position`; 0 = none. */
  private shortMatchAt(text: string, position: number, cut: boolean): number {
    if (this.short.size === 0 || isWordCharacter(text.charAt(position - 1))) return 0;
    for (const form of this.short) {
      const end = position + form.length;
      if (text.startsWith(form, position) && !isWordCharacter(text.charAt(end))) return end;
      if (cut && end > text.length && form.startsWith(text.slice(position))) return text.length;
    }
    return 0;
  }
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
