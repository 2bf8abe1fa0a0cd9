import { substituteCode } from '@batuta/flow';
import type { MatrixType } from '@batuta/matrix';
import { SandboxError, type CodeRunner } from '../sandbox';
import type { ScopeView } from './scope/execution-scope';
import { StepError, StoppedError } from '../step-error';

/** The value that a row or an author's code gives; `secrecy` is `derived` if it was computed from a sensitive value. */
export interface ComputedValue {
  value: unknown;
  secrecy: 'open' | 'derived';
  /** The type of the value; present only for a text that is one variable alone (mode "Variável ou texto"). */
  type?: MatrixType;
}

/**
 * Fills in the `{variables}` of an author's code and runs it in the sandbox. A StepError says which code failed
 * (`what`) and, if known, at which line; an abort of `signal` gives StoppedError.
 */
export class AuthorCode {
  constructor(
    private readonly runner: CodeRunner,
    private readonly signal: AbortSignal,
  ) {}

  evaluateFormula(code: string, view: ScopeView, what: string): Promise<ComputedValue> {
    return this.run(code, view, what, (filled) => this.runner.evaluateExpression(filled, this.signal));
  }

  /** True for every value that JavaScript considers truthy. */
  async evaluateCondition(code: string, view: ScopeView, what: string): Promise<boolean> {
    const result = await this.run(code, view, what, (filled) =>
      this.runner.evaluateExpression(`!!(${filled}\n)`, this.signal),
    );
    return result.value === true;
  }

  runScript(code: string, view: ScopeView, what: string): Promise<ComputedValue> {
    return this.run(code, view, what, (filled) => this.runner.runFunctionBody(filled, this.signal));
  }

  private async run(
    code: string,
    view: ScopeView,
    what: string,
    evaluate: (filled: string) => Promise<unknown>,
  ): Promise<ComputedValue> {
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
