import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SandboxError } from './sandbox-error';

export interface Evaluation {
  form: 'expression' | 'body';
  code: string;
  /** Time limit of the evaluation. */
  milliseconds: number;
  /** Maximum size of the result as JSON text in UTF-8. */
  resultBytes: number;
}

/** A message of the worker: `ready` once, then one reply for each evaluation. */
type WorkerReply = { discard?: boolean } & (
  | { kind: 'value'; json: string }
  | { kind: 'code'; message: string; line?: number }
  | { kind: 'time' | 'memory' | 'stack' | 'crash' }
);

const WORKER_PROGRAM = join(__dirname, 'worker.js');
/** The worker ends an evaluation at its deadline; a worker that has not replied this much later is terminated. */
const REPLY_SLACK_MS = 500;
/** After this time a worker that has not loaded its module counts as hanging, even on a busy machine. */
const LOAD_LIMIT_MS = 20_000;

interface PendingEvaluation {
  settle(outcome: WorkerReply): void;
  timer: NodeJS.Timeout;
}

/** One worker thread with one loaded QuickJS module. Runs one evaluation at a time; `discarded` = do not use it again. */
export class Evaluator {
  discarded = false;
  private pending: PendingEvaluation | undefined;
  private readonly worker: Worker;
  /** Resolves when the module is loaded, or the worker is lost. */
  readonly ready: Promise<void>;

  constructor(memoryBytes: number, { program = WORKER_PROGRAM, loadLimitMs = LOAD_LIMIT_MS } = {}) {
    // No environment and no arguments: code that escaped from QuickJS would find no secret here.
    this.worker = new Worker(program, {
      workerData: { memoryBytes },
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 128, stackSizeMb: 8 },
    });
    let loadTimer: NodeJS.Timeout | undefined;
    this.ready = new Promise<void>((resolve) => {
      this.worker.on('message', (message: unknown) => {
        if (Object(message).kind === 'ready') resolve();
        else this.finish(readReply(message));
      });
      const onLost = () => {
        this.discarded = true;
        resolve();
        this.finish({ kind: 'crash' });
      };
      loadTimer = setTimeout(() => {
        this.kill();
        // A thread that hangs may never exit.
        onLost();
      }, loadLimitMs);
      this.worker.on('error', onLost);
      this.worker.on('exit', onLost);
    }).finally(() => clearTimeout(loadTimer));
  }

  /**
   * Returns the value of the evaluation or throws SandboxError; call it when the worker is ready. An abort terminates the worker, and so does
   * a reply that is missing REPLY_SLACK_MS after the time limit.
   */
  async run(evaluation: Evaluation, signal?: AbortSignal): Promise<unknown> {
    if (signal?.aborted) throw new SandboxError('aborted', 'the evaluation was stopped');
    const outcome = await new Promise<WorkerReply | 'aborted'>((resolve) => {
      const abort = () => {
        this.kill();
        resolve('aborted');
      };
      const overrun = setTimeout(() => {
        this.kill();
        this.finish({ kind: 'time' });
      }, evaluation.milliseconds + REPLY_SLACK_MS);
      this.pending = {
        timer: overrun,
        settle: (result) => {
          signal?.removeEventListener('abort', abort);
          resolve(result);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      if (this.discarded) this.finish({ kind: 'crash' });
      else this.worker.postMessage(evaluation);
    });
    return valueOf(outcome, evaluation);
  }

  /** Terminates the worker without waiting for its end. */
  kill(): void {
    this.discarded = true;
    this.worker.terminate().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.discarded = true;
    await this.worker.terminate();
  }

  private finish(outcome: WorkerReply): void {
    if (outcome.discard) this.kill();
    const pending = this.pending;
    this.pending = undefined;
    if (!pending) return;
    clearTimeout(pending.timer);
    pending.settle(outcome);
  }
}

/** The reply in a worker's message; a message of any other shape counts as a crash. */
function readReply(message: unknown): WorkerReply {
  const { kind, json, message: text, line, discard }: Record<string, unknown> = Object(message);
  const rest = { discard: discard === true };
  if (kind === 'value' && typeof json === 'string') return { kind, json, ...rest };
  if (kind === 'code' && typeof text === 'string') {
    return { kind, message: text, ...(typeof line === 'number' && { line }), ...rest };
  }
  return kind === 'time' || kind === 'memory' || kind === 'stack' ? { kind, ...rest } : { kind: 'crash', ...rest };
}

function valueOf(outcome: WorkerReply | 'aborted', { milliseconds }: Evaluation): unknown {
  if (outcome === 'aborted') throw new SandboxError('aborted', 'the evaluation was stopped');
  if (outcome.kind === 'value') return JSON.parse(outcome.json);
  if (outcome.kind === 'code') throw new SandboxError('code', outcome.message, outcome.line);
  const messages = {
    time: `it ran longer than ${milliseconds / 1000} s`,
    memory: 'it needs more memory than a script may have',
    stack: 'it calls itself or nests values too deeply',
    crash: 'the sandbox failed while it ran',
  };
  throw new SandboxError(outcome.kind, messages[outcome.kind]);
}
