/** Why an evaluation gave no value; `message` is written for the author of the code. */
export type SandboxErrorKind = 'code' | 'time' | 'memory' | 'stack' | 'crash' | 'aborted';

export class SandboxError extends Error {
  override readonly name = 'SandboxError';

  constructor(
    readonly kind: SandboxErrorKind,
    message: string,
    /** Line of the author's code, counted from 1, where it is known. */
    readonly line?: number,
  ) {
    super(message);
  }
}
