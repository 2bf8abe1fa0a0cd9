/** Work of which no two in one batch may have a key in common: the second waits for what became of the first. */
export interface Keyed {
  keys: readonly string[];
}

export type Settled<Result> = { result: Result } | { error: unknown };

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Natural batching: while one batch is being written the next items gather, and go together as soon as it is done. An
 * idle batcher adds no wait and no timer; a busy one shares its commits.
 */
export class Batcher<Item extends Keyed, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private busy = false;

  constructor(
    private readonly most: number,
    private readonly work: (items: Item[]) => Promise<Settled<Result>[]>,
  ) {}

  submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.busy) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.busy = true;
    while (this.waiting.length > 0) {
      const batch = this.takeBatch();
      try {
        const settled = await this.work(batch.map(({ item }) => item));
        batch.forEach((waiting, index) => settle(waiting, settled[index]));
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    this.busy = false;
  }

  private takeBatch(): Waiting<Item, Result>[] {
    const taken = new Set<string>();
    const batch: Waiting<Item, Result>[] = [];
    const later: Waiting<Item, Result>[] = [];
    for (const waiting of this.waiting) {
      const { keys } = waiting.item;
      const fits = batch.length < this.most && !keys.some((key) => taken.has(key));
      for (const key of keys) taken.add(key);
      (fits ? batch : later).push(waiting);
    }
    this.waiting = later;
    return batch;
  }
}

function settle<Item, Result>(waiting: Waiting<Item, Result>, settled: Settled<Result> | undefined): void {
  if (settled && 'result' in settled) waiting.resolve(settled.result);
  else waiting.reject(settled ? settled.error : new Error('A batch forgot one of its items'));
}
