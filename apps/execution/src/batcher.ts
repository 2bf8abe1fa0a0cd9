import { ApiError } from '@batuta/errors';
import { withTenant } from '@batuta/observability';

/** Maximum length of the queue, in full batches: the callers of further items would time out before their turn. */
const MAX_WAITING_BATCHES = 20;
/** Time limit of an item; equal to the default time limit of a call over NATS. */
const DEFAULT_TIME_LIMIT_MS = 5_000;
const EXPIRY_CHECK_INTERVAL_MS = 200;
/**
 * Maximum number of batches of postponed items at a time: each holds a connection while it waits for the lock of its
 * tenant.
 */
const MAX_WAITING_TENANTS = 3;

/** An item that is submitted. Items that share a key are never in progress together: the later one waits for a later batch. */
export interface BatchItem {
  keys: readonly string[];
  /** Size of a large item; undefined or 0 for a small item, whose bytes are not counted. */
  bytes?: number;
  /** The tenant that the item belongs to; batches of large and of postponed items have only one tenant. */
  tenant?: string;
}

/**
 * Maximum bytes of large items in one batch, because processing them blocks the event loop. An item that exceeds it
 * alone is the only large item of its batch.
 */
const MAX_BATCH_BYTES = 1_048_576;

/** `postponed`: nothing was done, because another transaction holds a lock of the item's tenant. */
export type SettledItem<Result> = { result: Result } | { error: unknown } | { postponed: true };

interface QueuedItem<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
  /** The time at which the caller of the item stops waiting, on the monotonic clock. */
  expiresAt: number;
  isPostponed: boolean;
}

/** A batch in progress. */
interface Batch<Item, Result> {
  lane: BatchLane;
  items: QueuedItem<Item, Result>[];
  /** The tenant of all items of the batch; undefined for a shared batch. */
  tenant: string | undefined;
  beganAt: number;
}

type BatchLane = 'shared' | 'large' | 'postponed';

/**
 * Natural batching: items that arrive while a batch is being processed form the next batch, which begins as soon as the current one ends. An idle
 * batcher processes an item at once; a busy one lets many items share a commit. An item whose caller no longer waits fails with UNAVAILABLE, even
 * while its batch is in progress. Large items are processed in separate batches beside the shared ones. Such a batch has one tenant, and tenants
 * take turns: its transaction is long and holds locks of its tenant, and small items of other tenants do not wait for it. Small items of that
 * tenant wait meanwhile, or join the batch. A shared batch waits for no lock of a tenant, because the items of its other tenants would wait as
 * well: items whose tenant is locked by another transaction are postponed to a batch of that tenant alone, which waits for the lock.
 */
export class Batcher<Item extends BatchItem, Result> {
  private queue: QueuedItem<Item, Result>[] = [];
  private queuedLarge = 0;
  private readonly inProgress = new Set<Batch<Item, Result>>();
  private lastTenant: string | undefined;
  private expiry: NodeJS.Timeout | undefined;

  /**
   * `processBatch` settles every item of a batch, in order; if it throws, all items of the batch fail. It may postpone items
   * only if `waitsForLocks` is false.
   */
  constructor(
    private readonly maxBatchSize: number,
    private readonly processBatch: (items: Item[], waitsForLocks: boolean) => Promise<SettledItem<Result>[]>,
  ) {}

  /** Age in milliseconds of the oldest batch in progress; 0 when there is none. */
  get batchAgeMs(): number {
    if (this.inProgress.size === 0) return 0;
    return performance.now() - Math.min(...Array.from(this.inProgress, ({ beganAt }) => beganAt));
  }

  /**
   * Submits an item and resolves to its result, or rejects with its error. Throws UNAVAILABLE when the queue is full (the
   * item was not processed), or after `timeLimitMs` (the item may have been processed).
   */
  submit(item: Item, timeLimitMs = DEFAULT_TIME_LIMIT_MS): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.queue.length >= this.maxBatchSize * MAX_WAITING_BATCHES) {
        reject(new ApiError('UNAVAILABLE', 'Too many requests wait; nothing was stored. Try again.'));
        return;
      }
      this.queue.push({ item, resolve, reject, expiresAt: performance.now() + timeLimitMs, isPostponed: false });
      if (isLarge(item)) this.queuedLarge += 1;
      withTenant(undefined, () => this.beginBatches());
    });
  }

  private beginBatches(): void {
    if (this.queuedLarge > 0 && this.countOf('large') === 0) void this.run('large', this.nextLarge());
    for (const tenant of this.postponedTenants()) void this.run('postponed', this.nextPostponed(tenant));
    if (this.countOf('shared') === 0) void this.run('shared', this.nextShared());
  }

  private countOf(lane: BatchLane): number {
    return [...this.inProgress].filter((batch) => batch.lane === lane).length;
  }

  private async run(lane: BatchLane, items: QueuedItem<Item, Result>[]): Promise<void> {
    const [first] = items;
    if (!first) return;
    this.expiry ??= setInterval(() => this.expire(), EXPIRY_CHECK_INTERVAL_MS).unref();
    const tenant = lane === 'shared' ? undefined : first.item.tenant;
    const batch = { lane, items, tenant, beganAt: performance.now() };
    this.inProgress.add(batch);
    try {
      const results = await this.processBatch(
        items.map(({ item }) => item),
        lane !== 'shared',
      );
      items.forEach((queued, index) => settleItem(queued, results[index]));
    } catch (error) {
      for (const queued of items) queued.reject(error);
    }
    this.inProgress.delete(batch);
    this.queueAgain(batch);
    this.beginBatches();
  }

  /**
   * Queues the postponed items of a shared batch before all others. After a batch of postponed items, the waiting small items of its tenant are
   * postponed too, because another transaction probably holds the lock again.
   */
  private queueAgain({ lane, items, tenant }: Batch<Item, Result>): void {
    if (lane === 'shared') this.setQueue([...items.filter(({ isPostponed }) => isPostponed), ...this.queue]);
    if (lane !== 'postponed') return;
    for (const queued of this.queue) queued.isPostponed ||= !isLarge(queued.item) && queued.item.tenant === tenant;
  }

  private expire(): void {
    if (this.inProgress.size === 0) {
      clearInterval(this.expiry);
      this.expiry = undefined;
      return;
    }
    const now = performance.now();
    const isOver = ({ expiresAt }: QueuedItem<Item, Result>) => expiresAt <= now;
    const current = Array.from(this.inProgress, ({ items }) => items).flat();
    for (const queued of [...this.queue, ...current].filter(isOver)) {
      queued.reject(new ApiError('UNAVAILABLE', 'The database did not answer in time; try again.'));
    }
    this.setQueue(this.queue.filter((queued) => !isOver(queued)));
  }

  /** Takes small items from the queue, except those of tenants that have a batch of their own in progress or postponed items. */
  private nextShared(): QueuedItem<Item, Result>[] {
    const held = this.tenantsInProgress();
    for (const { item, isPostponed } of this.queue) if (isPostponed) held.add(item.tenant);
    return this.takeFromQueue(({ item }) => !isLarge(item) && !held.has(item.tenant));
  }

  private tenantsInProgress(): Set<string | undefined> {
    const own = [...this.inProgress].filter(({ lane }) => lane !== 'shared');
    return new Set(own.map(({ tenant }) => tenant));
  }

  /** The tenants whose postponed items may be processed now, as many as MAX_WAITING_TENANTS allows. */
  private postponedTenants(): (string | undefined)[] {
    const postponed = new Set(this.queue.flatMap(({ item, isPostponed }) => (isPostponed ? [item.tenant] : [])));
    const held = this.tenantsInProgress();
    const free = [...postponed].filter((tenant) => !held.has(tenant));
    return free.slice(0, MAX_WAITING_TENANTS - this.countOf('postponed'));
  }

  private nextPostponed(tenant: string | undefined): QueuedItem<Item, Result>[] {
    return this.takeFromQueue(({ item }) => !isLarge(item) && item.tenant === tenant);
  }

  /** Takes the items of one tenant that has large items. While several such tenants wait, none has two batches in a row. */
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

  /**
   * Takes the items for which `belongs` is true, a full batch at most, without those that share a key with an item in progress or ahead of them
   * in the queue.
   */
  private takeFromQueue(belongs: (queued: QueuedItem<Item, Result>) => boolean): QueuedItem<Item, Result>[] {
    const usedKeys = new Set<string>();
    for (const { items } of this.inProgress) for (const { item } of items) addAll(usedKeys, item.keys);
    const batch: QueuedItem<Item, Result>[] = [];
    const rest: QueuedItem<Item, Result>[] = [];
    for (const queued of this.queue) {
      const { keys } = queued.item;
      const isFree = batch.length < this.maxBatchSize && !keys.some((key) => usedKeys.has(key));
      addAll(usedKeys, keys);
      (isFree && belongs(queued) ? batch : rest).push(queued);
    }
    this.setQueue(rest);
    return batch;
  }

  private setQueue(queue: QueuedItem<Item, Result>[]): void {
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
  if (settled && 'postponed' in settled) queued.isPostponed = true;
  else if (settled && 'result' in settled) queued.resolve(settled.result);
  else queued.reject(settled ? settled.error : new Error('The batch has no result for one of its items'));
}
