/** Forms are looked up by their beginning; none is shorter than this. */
const BEGINNING = 3;

/** Many texts to be found and replaced in one pass over another, however many they are. */
export class FormIndex {
  private readonly byBeginning = new Map<string, Set<string>>();
  private readonly wholeNumbers = new Set<string>();

  /** A number is found only where no further digit touches it: 900 is not in 19003. */
  addNumber(form: string): void {
    if (form.length < BEGINNING) return;
    if (!this.byBeginning.get(form.slice(0, BEGINNING))?.has(form)) this.wholeNumbers.add(form);
    this.index(form);
  }

  add(form: string): void {
    this.wholeNumbers.delete(form);
    this.index(form);
  }

  /**
   * Replaces every occurrence; those that touch or overlap become one replacement. With `cut` also a beginning of a form
   * with which the text ends.
   */
  replaceIn(text: string, replacement: string, cut: boolean): string {
    if (this.byBeginning.size === 0) return text;
    let clean = '';
    let plainFrom = 0;
    let hiddenTo = 0;
    for (let position = 0; position <= text.length - BEGINNING; position += 1) {
      const end = this.matchAt(text, position, cut);
      if (end <= hiddenTo) continue;
      if (position > hiddenTo || hiddenTo === 0) clean += text.slice(plainFrom, position) + replacement;
      hiddenTo = end;
      plainFrom = end;
    }
    return clean + text.slice(plainFrom);
  }

  private index(form: string): void {
    const beginning = form.slice(0, BEGINNING);
    const forms = this.byBeginning.get(beginning);
    if (forms) forms.add(form);
    else this.byBeginning.set(beginning, new Set([form]));
  }

  /** Where the longest form that begins here ends; 0 when none does. */
  private matchAt(text: string, position: number, cut: boolean): number {
    let end = 0;
    for (const form of this.byBeginning.get(text.slice(position, position + BEGINNING)) ?? []) {
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
