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
  /** Whose item it is: what a large item locks and waits for is its tenant's own. */
  tenant?: string;
}

/** Bytes of large items in one batch, which the process works on without a pause. A larger item forms a batch with small ones. */
const MAX_BATCH_BYTES = 1_048_576;

export type Settled<Result> = { result: Result } | { error: unknown };

interface QueuedItem<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
  /** The time at which its caller stops waiting, on the monotonic clock. */
  expiresAt: number;
}

/** A batch in progress. */
interface Batch<Item, Result> {
  items: QueuedItem<Item, Result>[];
  /** Of a batch with large items. */
  tenant?: string;
  beganAt: number;
}

type Lane = 'shared' | 'large';

/**
 * Natural batching: items that arrive while a batch is being processed form the next batch, which begins as soon as the
 * current one ends. An idle batcher adds neither delay nor timer; a busy one lets many items share a commit. An item whose
 * caller no longer waits fails with UNAVAILABLE, also while its batch is in progress.
 *
 * Large items go into batches of their own beside the shared ones, each of one tenant, tenants in turn: they take long and hold
 * locks of their tenant meanwhile, and no other tenant waits for them. Small items of that tenant wait, or go along.
 */
export class Batcher<Item extends BatchItem, Result> {
  private queue: QueuedItem<Item, Result>[] = [];
  private queuedLarge = 0;
  private readonly inProgress = new Map<Lane, Batch<Item, Result>>();
  private lastTenant: string | undefined;
  private expiry: NodeJS.Timeout | undefined;

  /** `processBatch` settles every item of a batch, in order; when it throws, all of them fail. */
  constructor(
    private readonly maxBatchSize: number,
    private readonly processBatch: (items: Item[]) => Promise<Settled<Result>[]>,
  ) {}

  /** Age of the older batch in progress in milliseconds; 0 while there is none. */
  get batchAgeMs(): number {
    if (this.inProgress.size === 0) return 0;
    return performance.now() - Math.min(...Array.from(this.inProgress.values(), ({ beganAt }) => beganAt));
  }

  /** Throws UNAVAILABLE when the queue is full (nothing is stored), or after `patienceMs` (the item may be stored). */
  submit(item: Item, patienceMs = PATIENCE_MS): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.queue.length >= this.maxBatchSize * MAX_WAITING_BATCHES) {
        reject(new ApiError('UNAVAILABLE', 'Too many requests wait; nothing was stored. Try again.'));
        return;
      }
      this.queue.push({ item, resolve, reject, expiresAt: performance.now() + patienceMs });
      if (isLarge(item)) this.queuedLarge += 1;
      this.beginBatches();
    });
  }

  private beginBatches(): void {
    if (!this.inProgress.has('large') && this.queuedLarge > 0) void this.run('large', this.nextLarge());
    if (!this.inProgress.has('shared')) void this.run('shared', this.nextShared());
  }

  private async run(lane: Lane, items: QueuedItem<Item, Result>[]): Promise<void> {
    const [first] = items;
    if (!first) return;
    this.expiry ??= setInterval(() => this.expire(), EXPIRY_CHECK_MS).unref();
    const tenant = lane === 'large' ? first.item.tenant : undefined;
    this.inProgress.set(lane, { items, tenant, beganAt: performance.now() });
    try {
      const results = await this.processBatch(items.map(({ item }) => item));
      items.forEach((queued, index) => settle(queued, results[index]));
    } catch (error) {
      for (const queued of items) queued.reject(error);
    }
    this.inProgress.delete(lane);
    this.beginBatches();
  }

  private expire(): void {
    if (this.inProgress.size === 0) {
      clearInterval(this.expiry);
      this.expiry = undefined;
      return;
    }
    const now = performance.now();
    const isOver = ({ expiresAt }: QueuedItem<Item, Result>) => expiresAt <= now;
    const current = Array.from(this.inProgress.values(), ({ items }) => items).flat();
    for (const queued of [...this.queue, ...current].filter(isOver)) {
      queued.reject(new ApiError('UNAVAILABLE', 'The database did not answer in time; try again.'));
    }
    this.keepQueued(this.queue.filter((queued) => !isOver(queued)));
  }

  /** Small items, but those of the tenant whose large ones are in progress. */
  private nextShared(): QueuedItem<Item, Result>[] {
    const held = this.inProgress.get('large')?.tenant;
    return this.takeFromQueue(({ item }) => !isLarge(item) && (held === undefined || item.tenant !== held));
  }

  /** Items of one tenant, not the last one if others wait. */
  private nextLarge(): QueuedItem<Item, Result>[] {
    const large = this.queue.filter(({ item }) => isLarge(item));
    const first = large.find(({ item }) => item.tenant !== this.lastTenant) ?? large[0];
    this.lastTenant = first?.item.tenant;
    let bytes = 0;
    return this.takeFromQueue(({ item }) => {
      if (item.tenant !== this.lastTenant) return false;
      const hasRoom = !isLarge(item) || bytes === 0 || bytes + (item.bytes ?? 0) <= MAX_BATCH_BYTES;
      if (hasRoom) bytes += item.bytes ?? 0;
      return hasRoom;
    });
  }

  /** Items with a common key keep their order. */
  private takeFromQueue(belongs: (queued: QueuedItem<Item, Result>) => boolean): QueuedItem<Item, Result>[] {
    const usedKeys = new Set<string>();
    for (const { items } of this.inProgress.values()) for (const { item } of items) addAll(usedKeys, item.keys);
    const batch: QueuedItem<Item, Result>[] = [];
    const rest: QueuedItem<Item, Result>[] = [];
    for (const queued of this.queue) {
      const { keys } = queued.item;
      const isFree = batch.length < this.maxBatchSize && !keys.some((key) => usedKeys.has(key));
      addAll(usedKeys, keys);
      (isFree && belongs(queued) ? batch : rest).push(queued);
    }
    this.keepQueued(rest);
    return batch;
  }

  private keepQueued(queue: QueuedItem<Item, Result>[]): void {
    this.queue = queue;
    this.queuedLarge = queue.filter(({ item }) => isLarge(item)).length;
  }
}

function isLarge({ bytes = 0 }: BatchItem): boolean {
  return bytes > 0;
}

function addAll(keys: Set<string>, more: readonly string[]): void {
  for (const key of more) keys.add(key);
}

function settle<Item, Result>(queued: QueuedItem<Item, Result>, settled: Settled<Result> | undefined): void {
  if (settled && 'result' in settled) queued.resolve(settled.result);
  else queued.reject(settled ? settled.error : new Error('The batch has no result for one of its items'));
}
