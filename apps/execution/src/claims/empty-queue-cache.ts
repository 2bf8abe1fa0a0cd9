import type { Work } from '@batuta/contracts';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** The result of one query of a queue; `drained` = it saw the end of the queue. */
export interface PollResult {
  work: Work[];
  drained: boolean;
}

/** Size and time to live of the cache; the time to live bounds the delay when a notification is lost. */
const MAX_QUEUES = 10_000;
const TIME_TO_LIVE_MS = 1_000;

/** Which queues were empty a moment ago, so that claims wait for a notification and do not poll the database. */
@Injectable()
export class EmptyQueueCache {
  /** When the poll began that drained the queue. */
  private readonly drainedAt = new LRUCache<string, number>({ max: MAX_QUEUES });
  /** Number of the last notification of each queue. */
  private readonly notified = new LRUCache<string, number>({ max: MAX_QUEUES });
  private notifications = 0;

  /** True when a poll drained the queue within the time to live and no notification of work followed. */
  isEmpty(environmentID: string): boolean {
    return performance.now() - (this.drainedAt.get(environmentID) ?? -Infinity) < TIME_TO_LIVE_MS;
  }

  /** Records whether `poll` drained the queue; a notification during the poll leaves the queue not empty. */
  async record(environmentID: string, poll: () => Promise<PollResult>): Promise<Work[]> {
    const [begun, lastNotified] = [performance.now(), this.notified.get(environmentID)];
    const { work, drained } = await poll();
    if (drained && this.notified.get(environmentID) === lastNotified) this.drainedAt.set(environmentID, begun);
    else this.drainedAt.delete(environmentID);
    return work;
  }

  /** An instance was queued, at this replica or at another. */
  onWork(environmentID: string): void {
    this.notifications += 1;
    this.notified.set(environmentID, this.notifications);
    this.drainedAt.delete(environmentID);
  }

  /** Number of the last notification; an equal number later means that none came in between. Undefined = none is known. */
  lastNotification(environmentID: string): number | undefined {
    return this.notified.get(environmentID);
  }
}
