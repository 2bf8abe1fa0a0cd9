/** Characters of a form by which the index finds it; no form is shorter. */
const PREFIX_LENGTH = 3;

/** Finds and replaces any number of texts, called forms, in one pass over another text. */
export class FormIndex {
  private readonly byPrefix = new Map<string, Set<string>>();
  private readonly wholeNumbers = new Set<string>();

  /** A number is found only where no other digit touches it: 900 is not found in 19003. */
  addNumber(form: string): void {
    if (form.length < PREFIX_LENGTH) return;
    if (!this.byPrefix.get(form.slice(0, PREFIX_LENGTH))?.has(form)) this.wholeNumbers.add(form);
    this.index(form);
  }

  add(form: string): void {
    this.wholeNumbers.delete(form);
    this.index(form);
  }

  /**
   * Replaces every occurrence; occurrences that touch or overlap become one replacement. With `cut` it also replaces the
   * beginning of a form at the end of the text.
   */
  replaceIn(text: string, replacement: string, cut: boolean): string {
    if (this.byPrefix.size === 0) return text;
    let clean = '';
    let plainFrom = 0;
    let hiddenTo = 0;
    for (let position = 0; position <= text.length - PREFIX_LENGTH; position += 1) {
      const end = this.matchAt(text, position, cut);
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
}

function touchesDigits(text: string, start: number, end: number): boolean {
  return isDigit(text.charAt(start - 1)) || isDigit(text.charAt(end));
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}
