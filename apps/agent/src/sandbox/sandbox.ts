import { Evaluator, type Evaluation } from './evaluator';
import { SandboxError } from './sandbox-error';

/** An evaluation fails once this many workers were lost before it could begin in one of them. */
const MAX_LOST_WORKERS = 3;

export interface SandboxSettings {
  /** Maximum number of worker threads; each keeps one QuickJS module loaded. */
  workers: number;
  /** Maximum memory of one evaluation. */
  memoryBytes: number;
  /** Time limits of one evaluation; its wait for a free worker does not count. */
  expressionMilliseconds: number;
  scriptMilliseconds: number;
  /** Maximum size of a result as JSON text in UTF-8. */
  resultBytes: number;
}

export const SANDBOX_DEFAULTS: SandboxSettings = {
  workers: 3,
  memoryBytes: 64 * 1024 * 1024,
  expressionMilliseconds: 5_000,
  scriptMilliseconds: 30_000,
  resultBytes: 1024 * 1024,
};

/** Runs an author's code. Both methods return JSON values and throw SandboxError. */
export interface CodeRunner {
  /** Evaluates one JavaScript expression: a formula or a condition. */
  evaluateExpression(code: string, signal?: AbortSignal): Promise<unknown>;
  /** Runs the body of a function and returns its result. */
  runFunctionBody(code: string, signal?: AbortSignal): Promise<unknown>;
}

/**
 * Runs authors' JavaScript in QuickJS inside worker threads: bounded in time and memory, without host objects, each
 * evaluation in a new context. An endless loop never blocks the agent's own event loop, which sends the heartbeats.
 */
export class Sandbox implements CodeRunner {
  private readonly idle: Evaluator[] = [];
  private readonly all = new Set<Evaluator>();
  private readonly waiters: (() => void)[] = [];
  private closed = false;

  constructor(private readonly settings: SandboxSettings = SANDBOX_DEFAULTS) {
    // The first formula must not wait for a worker to load.
    this.idle.push(this.spawn());
  }

  evaluateExpression(code: string, signal?: AbortSignal): Promise<unknown> {
    return this.run({ form: 'expression', code, milliseconds: this.settings.expressionMilliseconds }, signal);
  }

  runFunctionBody(code: string, signal?: AbortSignal): Promise<unknown> {
    return this.run({ form: 'body', code, milliseconds: this.settings.scriptMilliseconds }, signal);
  }

  /** Resolves when the first worker has loaded its module or is lost. */
  async warm(): Promise<void> {
    await Promise.all(this.idle.map((evaluator) => evaluator.ready));
  }

  /** Ends all evaluations: those that run fail with the kind `crash`, those that wait for a worker with `aborted`. */
  async close(): Promise<void> {
    this.closed = true;
    this.wakeAll();
    await Promise.all([...this.all].map((evaluator) => evaluator.close()));
  }

  private async run(evaluation: Omit<Evaluation, 'resultBytes'>, signal?: AbortSignal): Promise<unknown> {
    const evaluator = await this.acquire(signal);
    try {
      return await evaluator.run({ ...evaluation, resultBytes: this.settings.resultBytes }, signal);
    } finally {
      this.release(evaluator);
    }
  }

  private async acquire(signal?: AbortSignal): Promise<Evaluator> {
    for (let lost = 0; lost < MAX_LOST_WORKERS;) {
      if (this.closed || signal?.aborted) throw new SandboxError('aborted', 'the evaluation was stopped');
      const evaluator = this.idle.pop() ?? (this.all.size < this.settings.workers ? this.spawn() : undefined);
      if (!evaluator) {
        await this.nextFree(signal);
        continue;
      }
      await evaluator.ready;
      if (!evaluator.discarded) return evaluator;
      lost += 1;
      this.all.delete(evaluator);
      this.wakeAll();
    }
    throw new SandboxError('crash', 'the sandbox could not be started');
  }

  private nextFree(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.waiters.push(wake);
      signal?.addEventListener('abort', wake);
    });
  }

  private release(evaluator: Evaluator): void {
    if (evaluator.discarded) this.all.delete(evaluator);
    else this.idle.push(evaluator);
    this.wakeAll();
  }

  /** Wakes all waiters: the first may have been aborted and would leave the worker unused. */
  private wakeAll(): void {
    for (const wake of this.waiters.splice(0)) wake();
  }

  private spawn(): Evaluator {
    const evaluator = new Evaluator(this.settings.memoryBytes);
    this.all.add(evaluator);
    return evaluator;
  }
}
