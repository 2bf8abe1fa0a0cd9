export interface TerminalOutput {
  readonly isTTY: boolean;
  write(text: string): void;
}

export interface TerminalInput {
  readonly isTTY: boolean;
  /** Reads everything up to the end of the input. */
  readAll(): Promise<string>;
  /** Asks a question and reads one line. A terminal does not echo a `hidden` one. */
  ask(question: string, options?: { hidden?: boolean }): Promise<string>;
}

/** The environment of the program; tests replace it. */
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
