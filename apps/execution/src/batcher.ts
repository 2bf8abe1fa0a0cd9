import { ApiError } from '@batuta/errors';

/** Limit of the queue in full batches: the callers of further items would time out before their turn. */
const MAX_WAITING_BATCHES = 20;
/** Equal to the default time limit of a call over NATS. */
const DEFAULT_TIME_LIMIT_MS = 5_000;
const EXPIRY_CHECK_MS = 200;

/** An item that is submitted. Two items of one batch never share a key; the second item waits for a later batch. */
export interface BatchItem {
  keys: readonly string[];
  /** Size of a large item; undefined for a small item, whose bytes are not counted. */
  bytes?: number;
  /** The tenant that the item belongs to; batches of large items have only one tenant. */
  tenant?: string;
}

/**
 * Maximum bytes of large items in one batch, which blocks the event loop while it is processed. A larger item is the
 * only large one of its batch.
 */
const MAX_BATCH_BYTES = 1_048_576;

export type SettledItem<Result> = { result: Result } | { error: unknown };

interface QueuedItem<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
  /** The time at which the caller of the item stops waiting, on the monotonic clock. */
  expiresAt: number;
}

/** A batch in progress. */
interface Batch<Item, Result> {
  items: QueuedItem<Item, Result>[];
  /** The tenant of all items of the batch; undefined for a batch without large items. */
  tenant?: string;
  beganAt: number;
}

type BatchLane = 'shared' | 'large';

/**
 * Natural batching: items that arrive while a batch is being processed form the next batch, which begins as soon as the
 * current one ends. An idle batcher adds neither delay nor timer; a busy one lets many items share a commit. An item
 * whose caller no longer waits fails with UNAVAILABLE, even while its batch is in progress. Large items are processed
 * in separate batches beside the shared ones. Such a batch has one tenant, and tenants take turns: its transaction is
 * long and holds locks of its tenant, but no other tenant waits for it. Small items of that tenant wait meanwhile, or
 * join the batch.
 */
export class Batcher<Item extends BatchItem, Result> {
  private queue: QueuedItem<Item, Result>[] = [];
  private queuedLarge = 0;
  private readonly inProgress = new Map<BatchLane, Batch<Item, Result>>();
  private lastTenant: string | undefined;
  private expiry: NodeJS.Timeout | undefined;

  /** `processBatch` settles every item of a batch, in order; if it throws, all items of the batch fail. */
  constructor(
    private readonly maxBatchSize: number,
    private readonly processBatch: (items: Item[]) => Promise<SettledItem<Result>[]>,
  ) {}

  /** Age in milliseconds of the oldest batch in progress; 0 when there is none. */
  get batchAgeMs(): number {
    if (this.inProgress.size === 0) return 0;
    return performance.now() - Math.min(...Array.from(this.inProgress.values(), ({ beganAt }) => beganAt));
  }

  /**
   * Submits an item and resolves to its result. Throws UNAVAILABLE when the queue is full (the item was not processed),
   * or after `timeLimitMs` (the item may have been processed).
   */
  submit(item: Item, timeLimitMs = DEFAULT_TIME_LIMIT_MS): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.queue.length >= this.maxBatchSize * MAX_WAITING_BATCHES) {
        reject(new ApiError('UNAVAILABLE', 'Too many requests wait; nothing was stored. Try again.'));
        return;
      }
      this.queue.push({ item, resolve, reject, expiresAt: performance.now() + timeLimitMs });
      if (isLarge(item)) this.queuedLarge += 1;
      this.beginBatches();
    });
  }

  private beginBatches(): void {
    if (!this.inProgress.has('large') && this.queuedLarge > 0) void this.run('large', this.nextLarge());
    if (!this.inProgress.has('shared')) void this.run('shared', this.nextShared());
  }

  private async run(lane: BatchLane, items: QueuedItem<Item, Result>[]): Promise<void> {
    const [first] = items;
    if (!first) return;
    this.expiry ??= setInterval(() => this.expire(), EXPIRY_CHECK_MS).unref();
    const tenant = lane === 'large' ? first.item.tenant : undefined;
    this.inProgress.set(lane, { items, tenant, beganAt: performance.now() });
    try {
      const results = await this.processBatch(items.map(({ item }) => item));
      items.forEach((queued, index) => settleItem(queued, results[index]));
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

  /** Takes small items from the queue, except those of the tenant whose large items are in progress. */
  private nextShared(): QueuedItem<Item, Result>[] {
    const held = this.inProgress.get('large')?.tenant;
    return this.takeFromQueue(({ item }) => !isLarge(item) && (held === undefined || item.tenant !== held));
  }

  /** Takes the items of a tenant that has large items; if several such tenants wait, of another one than the last time. */
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

  /** Items that share a key are taken in the order of their arrival. */
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

function settleItem<Item, Result>(queued: QueuedItem<Item, Result>, settled: SettledItem<Result> | undefined): void {
  if (settled && 'result' in settled) queued.resolve(settled.result);
  else queued.reject(settled ? settled.error : new Error('The batch has no result for one of its items'));
}
