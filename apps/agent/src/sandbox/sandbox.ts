import { Evaluator, type Evaluation } from './evaluator';
import { SandboxError } from './sandbox-error';

export interface SandboxSettings {
  /** Worker threads at most; each keeps one QuickJS module warm. */
  workers: number;
  /** Memory that one evaluation may fill. */
  memoryBytes: number;
  expressionMilliseconds: number;
  scriptMilliseconds: number;
  /** Of the result as JSON text in UTF-8. */
  resultBytes: number;
}

export const SANDBOX_DEFAULTS: SandboxSettings = {
  workers: 3,
  memoryBytes: 64 * 1024 * 1024,
  expressionMilliseconds: 5_000,
  scriptMilliseconds: 30_000,
  resultBytes: 1024 * 1024,
};

/** What the interpreter needs of a sandbox. Both return JSON-safe values and throw SandboxError. */
export interface CodeRunner {
  /** One JavaScript expression: a formula or a condition. */
  evaluateExpression(code: string, signal?: AbortSignal): Promise<unknown>;
  /** The body of a function; what it returns is the value. */
  runFunctionBody(code: string, signal?: AbortSignal): Promise<unknown>;
}

/**
 * Runs authors' JavaScript in QuickJS inside worker threads: bounded in time and memory, without host objects, each
 * evaluation in a new context. A looping script never holds the agent's own event loop, whose heartbeats must go on.
 */
export class Sandbox implements CodeRunner {
  private readonly idle: Evaluator[] = [];
  private readonly all = new Set<Evaluator>();
  private readonly waiting: (() => void)[] = [];
  private closed = false;

  constructor(private readonly settings: SandboxSettings = SANDBOX_DEFAULTS) {
    // The first formula finds a worker that is already warm.
    this.idle.push(this.spawn());
  }

  evaluateExpression(code: string, signal?: AbortSignal): Promise<unknown> {
    return this.run({ form: 'expression', code, milliseconds: this.settings.expressionMilliseconds }, signal);
  }

  runFunctionBody(code: string, signal?: AbortSignal): Promise<unknown> {
    return this.run({ form: 'body', code, milliseconds: this.settings.scriptMilliseconds }, signal);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.wakeAll();
    await Promise.all([...this.all].map((evaluator) => evaluator.close()));
  }

  private async run(evaluation: Omit<Evaluation, 'resultBytes'>, signal?: AbortSignal): Promise<unknown> {
    const evaluator = await this.take(signal);
    try {
      return await evaluator.run({ ...evaluation, resultBytes: this.settings.resultBytes }, signal);
    } finally {
      this.giveBack(evaluator);
    }
  }

  private async take(signal?: AbortSignal): Promise<Evaluator> {
    for (;;) {
      if (this.closed || signal?.aborted) throw new SandboxError('aborted', 'the evaluation was stopped');
      const evaluator = this.idle.pop();
      if (evaluator && !evaluator.spoiled) return evaluator;
      if (evaluator) this.all.delete(evaluator);
      if (this.all.size < this.settings.workers) return this.spawn();
      await this.nextFree(signal);
    }
  }

  private nextFree(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.waiting.push(wake);
      signal?.addEventListener('abort', wake);
    });
  }

  private giveBack(evaluator: Evaluator): void {
    if (evaluator.spoiled) this.all.delete(evaluator);
    else this.idle.push(evaluator);
    this.wakeAll();
  }

  /** All of them, in their order: the first may have been aborted meanwhile and would let the place go unused. */
  private wakeAll(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  private spawn(): Evaluator {
    const evaluator = new Evaluator(this.settings.memoryBytes);
    this.all.add(evaluator);
    return evaluator;
  }
}
