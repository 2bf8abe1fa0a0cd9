import { ApiError } from '@batuta/errors';
import { Worker } from 'node:worker_threads';
import { jsonRules, MAX_DEPTH } from './json-rules';
import { jsonTasks, type JsonTasks, type ReadFieldsResult } from './json-tasks';
import { RawJson } from './raw-json';

/** In bytes. JSON of a smaller estimated weight (`jsonWeight` of @batuta/async) is parsed in about ten milliseconds, and needs no thread. */
export const THREAD_WEIGHT = 2 * 1_048_576;

/** Time after which a thread without work ends, which frees its memory. */
const MAX_IDLE_MS = 10_000;

/**
 * The program of the thread, as text, because a file would have another path in each build. It collects garbage after each JSON text;
 * otherwise the garbage, thirty megabytes, would stay until the next text.
 */
const WORKER_SOURCE = `const { parentPort } = require('node:worker_threads');
const tasks = (${String(jsonTasks)})((${String(jsonRules)})(${MAX_DEPTH}));
require('node:v8').setFlagsFromString('--expose-gc');
const collect = require('node:vm').runInNewContext('gc');
parentPort.on('message', ({ task, input }) => {
  parentPort.postMessage(tasks[task](...input));
  setImmediate(collect);
});`;

type ThreadTask = keyof JsonTasks;

interface QueuedJob {
  task: ThreadTask;
  input: unknown[];
  settle(result: unknown): void;
  fail(error: Error): void;
}

/**
 * A thread that parses large JSON texts, one after the other: a megabyte of `[{},{},…]` keeps it busy for a fifth of a second, during
 * which the service handles other requests. It starts with the first text and ends after MAX_IDLE_MS without work. If it fails, the
 * call for the current text fails with UNAVAILABLE, and a new thread parses the next text.
 */
export class JsonThread {
  private worker: Worker | undefined;
  private current: QueuedJob | undefined;
  private readonly waiting: QueuedJob[] = [];
  private idle: NodeJS.Timeout | undefined;
  private closed = false;

  /** The fields with these names of a JSON object, with a RawJson in place of each long value; see `JsonTasks`. */
  async readFields(bytes: Uint8Array, names: readonly string[], maxNames: number): Promise<ReadBodyResult> {
    const read = await this.run('readFields', bytes, names, maxNames);
    if ('problem' in read) return read;
    for (const { path, text } of read.raw) setFieldAt(read.fields, path, new RawJson(text));
    return { fields: read.fields };
  }

  /** Runs a task in the thread, once the tasks before it are done. Throws UNAVAILABLE when the thread fails or has been closed. */
  run<Name extends ThreadTask>(
    task: Name,
    ...input: Parameters<JsonTasks[Name]>
  ): Promise<ReturnType<JsonTasks[Name]>> {
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(threadLost());
      this.waiting.push({ task, input, settle: resolve, fail: reject });
      this.startNextJob();
    });
  }

  /** Ends the thread; calls whose texts it has not parsed fail. */
  async close(): Promise<void> {
    this.closed = true;
    for (const job of this.waiting.splice(0)) job.fail(threadLost());
    this.current?.fail(threadLost());
    this.current = undefined;
    await this.endWorker();
  }

  private startNextJob(): void {
    if (this.current) return;
    clearTimeout(this.idle);
    this.current = this.waiting.shift();
    if (!this.current) {
      this.idle = setTimeout(() => void this.endWorker(), MAX_IDLE_MS).unref();
      // Unreferenced, so that an idle thread does not keep the process alive.
      this.worker?.unref();
      return;
    }
    const { task, input } = this.current;
    this.worker ??= this.startWorker();
    this.worker.ref();
    this.worker.postMessage({ task, input });
  }

  private startWorker(): Worker {
    // Without a memory limit: V8 ends the whole process when JSON.parse exceeds one. The callers bound the sizes of texts.
    const worker = new Worker(WORKER_SOURCE, { eval: true, env: {}, argv: [], execArgv: [] });
    const lost = () => {
      if (this.worker !== worker) return;
      this.worker = undefined;
      const job = this.current;
      this.current = undefined;
      job?.fail(threadLost());
      this.startNextJob();
    };
    worker.on('message', (result: unknown) => {
      if (this.worker !== worker) return;
      const job = this.current;
      this.current = undefined;
      job?.settle(result);
      this.startNextJob();
    });
    worker.on('error', lost);
    worker.on('exit', lost);
    return worker;
  }

  private async endWorker(): Promise<void> {
    clearTimeout(this.idle);
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
  }
}

export type ReadBodyResult = { fields: Record<string, unknown> } | Extract<ReadFieldsResult, { problem: unknown }>;

function setFieldAt(fields: Record<string, unknown>, [name, inner]: string[], value: RawJson): void {
  const holder = inner === undefined ? fields : fields[name ?? ''];
  if (typeof holder !== 'object' || holder === null) return;
  // An assignment to `__proto__` would change the prototype.
  Object.defineProperty(holder, inner ?? name ?? '', { value, configurable: true, enumerable: true, writable: true });
}

function threadLost(): ApiError {
  return new ApiError('UNAVAILABLE', 'A large value could not be read for the moment; try again.');
}
