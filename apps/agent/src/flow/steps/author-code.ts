import { substituteCode } from '@batuta/flow';
import type { MatrixType } from '@batuta/matrix';
import { SandboxError, type CodeRunner } from '../../sandbox';
import type { ScopeView } from '../scope/execution-scope';
import { StepError, StoppedError } from '../step-error';

/** A result; `derived` = made from a sensitive value. */
export interface Computed {
  value: unknown;
  secrecy: 'open' | 'derived';
  /** Present when a variable is copied with its type. */
  type?: MatrixType;
}

/**
 * Fills the `{variables}` of an author's code in and runs it in the sandbox. A StepError names `what` the code is and, if
 * known, the line.
 */
export class AuthorCode {
  constructor(
    private readonly runner: CodeRunner,
    private readonly signal: AbortSignal,
  ) {}

  formula(code: string, view: ScopeView, what: string): Promise<Computed> {
    return this.run(code, view, what, (filled) => this.runner.evaluateExpression(filled, this.signal));
  }

  /** True for every value that JavaScript considers truthy. */
  async condition(code: string, view: ScopeView, what: string): Promise<boolean> {
    const result = await this.run(code, view, what, (filled) =>
      this.runner.evaluateExpression(`!!(${filled}\n)`, this.signal),
    );
    return result.value === true;
  }

  script(code: string, view: ScopeView, what: string): Promise<Computed> {
    return this.run(code, view, what, (filled) => this.runner.runFunctionBody(filled, this.signal));
  }

  private async run(
    code: string,
    view: ScopeView,
    what: string,
    evaluate: (filled: string) => Promise<unknown>,
  ): Promise<Computed> {
    try {
      const value = await evaluate(substituteCode(code, view));
      return { value, secrecy: view.secrecy };
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      if (error.kind === 'aborted') throw new StoppedError();
      const line = error.line === undefined ? '' : ` (line ${error.line})`;
      throw new StepError(`${what}${line}: ${error.message}`, null, true);
    }
  }
}
