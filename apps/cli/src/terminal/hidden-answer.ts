const CONTROL_C = '\u0003';
const CONTROL_D = '\u0004';
const CONTROL_U = '\u0015';
const ENTER = ['\r', '\n'];
const ERASE = ['\u007f', '\b'];

/** Collects the keys of an answer, such as a password, that the terminal does not show. */
export class HiddenAnswer {
  private readonly characters: string[] = [];

  get text(): string {
    return this.characters.join('');
  }

  /**
   * Adds typed characters. `done` after Enter or Ctrl+D, `interrupted` after Ctrl+C: further characters in the same chunk are ignored. Ctrl+U
   * clears the answer.
   */
  type(typed: string): 'typing' | 'done' | 'interrupted' {
    for (const key of typed) {
      if (ENTER.includes(key) || key === CONTROL_D) return 'done';
      if (key === CONTROL_C) return 'interrupted';
      if (key === CONTROL_U) this.characters.length = 0;
      else if (ERASE.includes(key)) this.characters.pop();
      else this.characters.push(key);
    }
    return 'typing';
  }
}
