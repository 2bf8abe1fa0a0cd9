import { entryLimit } from '@batuta/async';
import type { EnvironmentFacts } from '@batuta/catalog';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EXECUTION_CONFIG, type ExecutionConfig } from '../config';
import { countQueued } from '../instances/instance.repository';

const MAX_COUNTED_ENVIRONMENTS = 10_000;
/**
 * How often a replica counts a queue while it adds as many starts as the limit allows: after each tenth of the limit it
 * counts the queue again, to learn what other replicas added.
 */
const COUNTS_PER_LIMIT = 10;
/** The share of the limit from which on a queue is nearly full. */
const NEARLY_FULL_SHARE = 0.9;
/**
 * Ages at which the count of a nearly full queue is repeated: the first if a start was refused since the last count,
 * the second otherwise.
 */
const RECOUNT_INTERVAL_WHILE_REFUSING_MS = 1_000;
const RECOUNT_INTERVAL_WHILE_FULL_MS = 5_000;

/** This replica's estimate of the length of one queue. */
interface QueueEstimate {
  /** Instances that the last count found, at most as many as the limit. */
  counted: number;
  /** Starts that this replica has queued since the last count began. */
  added: number;
  /** The beginning of the last count, on the monotonic clock; -Infinity before the first one. */
  countBegan: number;
  /** True when a start was refused since the last count. */
  hasRefused: boolean;
}

/**
 * Bounds the queued instances of an environment (interpretation 55). A start reads and writes memory only; counts run periodically, concurrent
 * with the starts, for the queues that need one. The replicas together exceed the limit by at most a tenth of it for each replica, and by the
 * instances that are queued until a due count has ended.
 */
@Injectable()
export class QueueLimit {
  private readonly queues = new LRUCache<string, QueueEstimate>(entryLimit(MAX_COUNTED_ENVIRONMENTS));
  /** Environments whose queue must be counted, because this replica added to it and the estimate is inexact. */
  private readonly due = new Set<string>();
  /**
   * Environments whose queue is counted again even without new starts, because an old, high count would refuse the next
   * start.
   */
  private readonly nearlyFull = new Set<string>();

  constructor(
    private readonly store: Store,
    @Inject(EXECUTION_CONFIG) private readonly config: Pick<ExecutionConfig, 'QUEUED_PER_ENVIRONMENT'>,
  ) {}

  /**
   * Throws RATE_LIMITED when the queue is full by this replica's estimate; a queue without an estimate has room. `more` = starts of the
   * current batch that are not queued yet and count as well.
   */
  requireRoom({ environmentID, name }: Pick<EnvironmentFacts, 'environmentID' | 'name'>, more = 0): void {
    const { QUEUED_PER_ENVIRONMENT: limit } = this.config;
    const queue = this.queues.get(environmentID);
    if (!queue || queue.counted + queue.added + more < limit) return;
    queue.hasRefused = true;
    throw new ApiError(
      'RATE_LIMITED',
      `The environment "${name}" has as many queued instances as it may have (${limit}, setting QUEUED_PER_ENVIRONMENT); connect agents, or stop instances.`,
    );
  }

  /** Records a queued start; to be called after its commit. */
  recordQueued(environmentID: string): void {
    const queue = this.queues.get(environmentID);
    if (!queue) {
      this.queues.set(environmentID, { counted: 0, added: 1, countBegan: -Infinity, hasRefused: false });
      this.due.add(environmentID);
      return;
    }
    queue.added += 1;
    if (queue.added >= this.config.QUEUED_PER_ENVIRONMENT / COUNTS_PER_LIMIT) this.due.add(environmentID);
  }

  /**
   * Counts the queues that need it, one after the other, until none is left or `forMs` have passed; throws when a count fails. Nearly full
   * queues come last, so that many of them do not delay the others.
   */
  async recount(forMs: number): Promise<void> {
    const end = performance.now() + forMs;
    for (const environmentID of [...this.due, ...this.queuesToRecount(performance.now())]) {
      if (performance.now() >= end) return;
      // The queue leaves the list before the count, because a start during the count may put it on the list again.
      this.due.delete(environmentID);
      await this.count(environmentID).catch((error: unknown) => {
        this.due.add(environmentID);
        throw error;
      });
    }
  }

  /** The nearly full queues whose count is too old, the oldest count first. */
  private queuesToRecount(now: number): string[] {
    const outdated: { environmentID: string; countBegan: number }[] = [];
    for (const environmentID of this.nearlyFull) {
      const queue = this.queues.peek(environmentID);
      if (!queue) this.nearlyFull.delete(environmentID);
      else if (
        now - queue.countBegan >=
        (queue.hasRefused ? RECOUNT_INTERVAL_WHILE_REFUSING_MS : RECOUNT_INTERVAL_WHILE_FULL_MS)
      ) {
        outdated.push({ environmentID, countBegan: queue.countBegan });
      }
    }
    return outdated.toSorted((a, b) => a.countBegan - b.countBegan).map(({ environmentID }) => environmentID);
  }

  private async count(environmentID: string): Promise<void> {
    const { QUEUED_PER_ENVIRONMENT: limit } = this.config;
    const before = this.queues.peek(environmentID)?.added ?? 0;
    const countBegan = performance.now();
    const counted = await countQueued(this.store, environmentID, limit);
    const added = Math.max(0, (this.queues.peek(environmentID)?.added ?? 0) - before);
    this.queues.set(environmentID, { counted, added, countBegan, hasRefused: false });
    if (counted >= limit * NEARLY_FULL_SHARE) this.nearlyFull.add(environmentID);
    else this.nearlyFull.delete(environmentID);
  }
}
