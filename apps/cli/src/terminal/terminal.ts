export interface TerminalOutput {
  readonly isTTY: boolean;
  write(text: string): void;
}

export interface TerminalInput {
  readonly isTTY: boolean;
  /** Everything up to the end of the input. */
  readAll(): Promise<string>;
  /** One line, after a question. Of a terminal, a `hidden` one is not echoed. */
  ask(question: string, options?: { hidden?: boolean }): Promise<string>;
}

/** The surroundings in which the program runs; tests give their own. */
export interface Terminal {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  homeFolder: string;
  input: TerminalInput;
  output: TerminalOutput;
  errors: TerminalOutput;
  /** Aborts when the user interrupts the program. */
  signal: AbortSignal;
}
