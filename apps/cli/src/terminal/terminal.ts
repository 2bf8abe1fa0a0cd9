export interface TerminalOutput {
  readonly isTTY: boolean;
  write(text: string): void;
}

export interface TerminalInput {
  readonly isTTY: boolean;
  /** Reads everything up to the end of the input; rejects when the user interrupts. */
  readAll(): Promise<string>;
  /**
   * Asks a question and reads one line; a terminal shows no answer to a `hidden` question. If the input is no terminal, the question is not
   * shown, the whole input is read, and its first line is the answer. Rejects after Ctrl+C, and when a terminal's input ends before the answer to a
   * visible question.
   */
  ask(question: string, options?: { hidden?: boolean }): Promise<string>;
}

/** What the program gets from its environment and writes to it; tests replace it. */
export interface Terminal {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  homeFolder: string;
  input: TerminalInput;
  output: TerminalOutput;
  errors: TerminalOutput;
  /** Aborts with the first SIGINT (Ctrl+C) or SIGTERM. */
  signal: AbortSignal;
}
