import { substituteCode } from '@batuta/flow';
import type { MatrixType } from '@batuta/matrix';
import { SandboxError, type CodeRunner } from '../sandbox';
import type { Reading } from './execution-scope';
import { StepError, StoppedError } from './step-error';

/** A result and whether something sensitive went into it. */
export interface Computed {
  value: unknown;
  secrecy: 'open' | 'derived';
  /** Of a lone variable that is copied with its type. */
  type?: MatrixType;
}

/** The author's code with its `{var}` filled in, run in the sandbox. StepError names `what` and, if known, the line. */
export class AuthorCode {
  constructor(
    private readonly runner: CodeRunner,
    private readonly signal: AbortSignal,
  ) {}

  formula(code: string, reading: Reading, what: string): Promise<Computed> {
    return this.run(code, reading, what, (filled) => this.runner.evaluateExpression(filled, this.signal));
  }

  /** Whatever JavaScript takes for true holds. */
  async condition(code: string, reading: Reading, what: string): Promise<boolean> {
    const judged = await this.run(code, reading, what, (filled) =>
      this.runner.evaluateExpression(`!!(${filled}\n)`, this.signal),
    );
    return judged.value === true;
  }

  script(code: string, reading: Reading, what: string): Promise<Computed> {
    return this.run(code, reading, what, (filled) => this.runner.runFunctionBody(filled, this.signal));
  }

  private async run(
    code: string,
    reading: Reading,
    what: string,
    evaluate: (filled: string) => Promise<unknown>,
  ): Promise<Computed> {
    try {
      const value = await evaluate(substituteCode(code, reading));
      return { value, secrecy: reading.secrecy };
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      if (error.kind === 'aborted') throw new StoppedError();
      const line = error.line === undefined ? '' : ` (line ${error.line})`;
      throw new StepError(`${what}${line}: ${error.message}`, null, true);
    }
  }
}
