import type { Abilities } from '@batuta/agent-protocol';
import { entryLimit } from '@batuta/async';
import type { InstanceWork } from '@batuta/contracts';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/**
 * The work that one poll of a queue claimed; `readWhole` = it read all instances that the agent can run and nobody else had locked
 * (`QueuePage.atEnd`).
 */
export interface PollResult {
  work: InstanceWork[];
  readWhole: boolean;
}

/** A poll that read a whole queue; `begun` is on the monotonic clock. */
interface WholePoll {
  begun: number;
  /** Number of the last notification that the queue had received before the poll. */
  lastNotified: number | undefined;
}

/** Entries of each map, and time to live of a poll; together with the wait of a claim it bounds the delay when a notification is lost. */
const MAX_QUEUES = 10_000;
const TIME_TO_LIVE_MS = 1_000;

/**
 * Remembers for a moment which queues had nothing that agents with given abilities can run, so that their claims wait
 * for a notification instead of polling the database.
 */
@Injectable()
export class EmptyQueueCache {
  private readonly wholePolls = new LRUCache<string, WholePoll>(entryLimit(MAX_QUEUES));
  /** Number of the last notification by queue. */
  private readonly notified = new LRUCache<string, number>(entryLimit(MAX_QUEUES));
  private notifications = 0;

  /** True when a poll read the whole queue within the time to live and no notification of work followed. */
  isEmpty(environmentID: string, abilities: Abilities): boolean {
    const poll = this.wholePolls.get(keyOf(environmentID, abilities));
    if (!poll || poll.lastNotified !== this.notified.get(environmentID)) return false;
    return performance.now() - poll.begun < TIME_TO_LIVE_MS;
  }

  /**
   * Runs `poll` and records whether it read the whole queue. After a notification during the poll the queue does not count
   * as empty.
   */
  async pollAndRecord(
    environmentID: string,
    abilities: Abilities,
    poll: () => Promise<PollResult>,
  ): Promise<InstanceWork[]> {
    const [begun, lastNotified] = [performance.now(), this.notified.get(environmentID)];
    const { work, readWhole } = await poll();
    const key = keyOf(environmentID, abilities);
    if (readWhole) this.wholePolls.set(key, { begun, lastNotified });
    else this.wholePolls.delete(key);
    return work;
  }

  /** Called at each notification of work: an instance may have been queued, at this replica or at another. */
  onWork(environmentID: string): void {
    this.notifications += 1;
    this.notified.set(environmentID, this.notifications);
  }

  /**
   * Number of the queue's last notification; an equal number later means that none arrived in between. Undefined when
   * none is known.
   */
  lastNotification(environmentID: string): number | undefined {
    return this.notified.get(environmentID);
  }
}

function keyOf(environmentID: string, { key }: Abilities): string {
  return `${environmentID} ${key}`;
}
