/** Forms are looked up by their beginning; none is shorter than this. */
const BEGINNING = 3;

/** Many texts to be found and replaced in one pass over another, however many they are. */
export class FormIndex {
  private readonly byBeginning = new Map<string, Set<string>>();

  add(form: string): void {
    const beginning = form.slice(0, BEGINNING);
    const forms = this.byBeginning.get(beginning);
    if (forms) forms.add(form);
    else this.byBeginning.set(beginning, new Set([form]));
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

  /** Where the longest form that begins here ends; 0 when none does. */
  private matchAt(text: string, position: number, cut: boolean): number {
    let end = 0;
    for (const form of this.byBeginning.get(text.slice(position, position + BEGINNING)) ?? []) {
      if (text.startsWith(form, position)) end = Math.max(end, position + form.length);
      else if (cut && position + form.length > text.length && form.startsWith(text.slice(position))) return text.length;
    }
    return end;
  }
}
