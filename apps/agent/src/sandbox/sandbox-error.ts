/**
 * Why an evaluation has no result; `code`: the code threw, or its result is too large or has no JSON form. The message of the error is
 * for the author of the code.
 */
export type SandboxErrorKind = 'code' | 'time' | 'memory' | 'stack' | 'crash' | 'aborted';

export class SandboxError extends Error {
  override readonly name = 'SandboxError';

  constructor(
    readonly kind: SandboxErrorKind,
    message: string,
    /** Line of the author's code, from 1, if known. */
    readonly line?: number,
  ) {
    super(message);
  }
}
