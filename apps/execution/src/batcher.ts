/** Two items of one batch never share a key: the second waits for the result of the first. */
export interface BatchItem {
  keys: readonly string[];
  /** Size of a large item; small ones count nothing. */
  bytes?: number;
}

/** Bytes of large items in one batch, which is one message to the database. A larger item forms a batch with small ones. */
const MAX_BATCH_BYTES = 4 * 1_048_576;

export type Settled<Result> = { result: Result } | { error: unknown };

interface QueuedItem<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Natural batching: items that arrive while a batch is being processed form the next batch, which begins as soon as the
 * current one ends. An idle batcher adds neither delay nor timer; a busy one lets many items share a commit.
 */
export class Batcher<Item extends BatchItem, Result> {
  private queue: QueuedItem<Item, Result>[] = [];
  private busy = false;

  /** `processBatch` settles every item of a batch, in order; when it throws, all of them fail. */
  constructor(
    private readonly maxBatchSize: number,
    private readonly processBatch: (items: Item[]) => Promise<Settled<Result>[]>,
  ) {}

  submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.queue.push({ item, resolve, reject });
      if (!this.busy) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.busy = true;
    while (this.queue.length > 0) {
      const batch = this.nextBatch();
      try {
        const results = await this.processBatch(batch.map(({ item }) => item));
        batch.forEach((queued, index) => settle(queued, results[index]));
      } catch (error) {
        for (const queued of batch) queued.reject(error);
      }
    }
    this.busy = false;
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
