import { ApiError } from '@batuta/errors';

/** Limit of the queue, in batches. Callers of further items would time out before their turn. */
const MAX_WAITING_BATCHES = 20;
/** The default time limit of a call over NATS. */
const PATIENCE_MS = 5_000;
const EXPIRY_CHECK_MS = 200;

/** Two items of one batch never share a key: the second waits for the result of the first. */
export interface BatchItem {
  keys: readonly string[];
  /** Size of a large item; absent for a small one, which is not counted. */
  bytes?: number;
}

/** Limit of the large items in one batch, which is one message to the database. A larger item shares its batch with small ones only. */
const MAX_BATCH_BYTES = 4 * 1_048_576;

export type Settled<Result> = { result: Result } | { error: unknown };

interface QueuedItem<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
  /** The time at which its caller stops waiting, on the monotonic clock. */
  expiresAt: number;
}

/**
 * Natural batching: items that arrive while a batch is being processed form the next batch, which begins as soon as the
 * current one ends. An idle batcher adds neither delay nor timer; a busy one lets many items share a commit. An item whose
 * caller no longer waits fails with UNAVAILABLE, also while its batch is in progress.
 */
export class Batcher<Item extends BatchItem, Result> {
  private queue: QueuedItem<Item, Result>[] = [];
  /** The batch in progress. */
  private current: QueuedItem<Item, Result>[] = [];
  private busy = false;
  private batchBeganAt = 0;
  private expiry: NodeJS.Timeout | undefined;

  /** `processBatch` settles every item of a batch, in order; when it throws, all of them fail. */
  constructor(
    private readonly maxBatchSize: number,
    private readonly processBatch: (items: Item[]) => Promise<Settled<Result>[]>,
  ) {}

  /** Age of the batch in progress in milliseconds; 0 while there is none. */
  get batchAgeMs(): number {
    return this.busy ? performance.now() - this.batchBeganAt : 0;
  }

  /** Throws UNAVAILABLE when the queue is full (nothing is stored), or after `patienceMs` (the item may be stored). */
  submit(item: Item, patienceMs = PATIENCE_MS): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.queue.length >= this.maxBatchSize * MAX_WAITING_BATCHES) {
        reject(new ApiError('UNAVAILABLE', 'Too many requests wait; nothing was stored. Try again.'));
        return;
      }
      this.queue.push({ item, resolve, reject, expiresAt: performance.now() + patienceMs });
      if (!this.busy) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.busy = true;
    this.expiry ??= setInterval(() => this.expire(), EXPIRY_CHECK_MS).unref();
    while (this.queue.length > 0) {
      const batch = this.nextBatch();
      this.current = batch;
      this.batchBeganAt = performance.now();
      try {
        const results = await this.processBatch(batch.map(({ item }) => item));
        batch.forEach((queued, index) => settle(queued, results[index]));
      } catch (error) {
        for (const queued of batch) queued.reject(error);
      }
    }
    this.current = [];
    this.busy = false;
  }

  private expire(): void {
    if (!this.busy) {
      clearInterval(this.expiry);
      this.expiry = undefined;
      return;
    }
    const now = performance.now();
    const isOver = ({ expiresAt }: QueuedItem<Item, Result>) => expiresAt <= now;
    for (const queued of [...this.queue, ...this.current].filter(isOver)) {
      queued.reject(new ApiError('UNAVAILABLE', 'The database did not answer in time; try again.'));
    }
    this.queue = this.queue.filter((queued) => !isOver(queued));
  }

  private nextBatch(): QueuedItem<Item, Result>[] {
    const usedKeys = new Set<string>();
    const batch: QueuedItem<Item, Result>[] = [];
    const rest: QueuedItem<Item, Result>[] = [];
    let batchBytes = 0;
    for (const queued of this.queue) {
      const { keys, bytes = 0 } = queued.item;
      const hasRoom = bytes === 0 || batchBytes === 0 || batchBytes + bytes <= MAX_BATCH_BYTES;
      const fits = hasRoom && batch.length < this.maxBatchSize && !keys.some((key) => usedKeys.has(key));
      if (fits) batchBytes += bytes;
      for (const key of keys) usedKeys.add(key);
      (fits ? batch : rest).push(queued);
    }
    this.queue = rest;
    return batch;
  }
}

function settle<Item, Result>(queued: QueuedItem<Item, Result>, settled: Settled<Result> | undefined): void {
  if (settled && 'result' in settled) queued.resolve(settled.result);
  else queued.reject(settled ? settled.error : new Error('The batch has no result for one of its items'));
}
