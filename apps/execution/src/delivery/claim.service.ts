import type { Work } from '@batuta/contracts';
import { Injectable } from '@nestjs/common';
import { EmptyQueueCache } from '../claims/empty-queue-cache';
import type { ClaimRequest } from '../claims/pending-claim';
import { PendingClaims } from '../claims/pending-claims';
import { ClaimTransaction } from './claim-transaction';

/** Answers the claims of router sessions: a long poll of the environment's queue. */
@Injectable()
export class ClaimService {
  constructor(
    private readonly pending: PendingClaims,
    private readonly queues: EmptyQueueCache,
    private readonly queue: ClaimTransaction,
  ) {}

  /** Up to `limit` of the oldest queued instances; when the queue is empty, the first that come within `waitMilliseconds`. */
  async claim(
    environmentID: string,
    { sessionID, limit, sendPart }: ClaimRequest,
    waitMilliseconds: number,
  ): Promise<Work[]> {
    const deadline = performance.now() + waitMilliseconds;
    for (let remaining = limit; !this.pending.isClosed;) {
      const timeLeft = deadline - performance.now();
      if (timeLeft > 0 && this.queues.isEmpty(environmentID)) {
        return this.pending.wait(environmentID, { sessionID, limit: remaining, sendPart }, timeLeft);
      }
      const work = await this.poll(environmentID, sessionID, remaining);
      remaining -= work.length;
      const enough = work.length > 0 && (!sendPart || remaining === 0);
      // A queue that is not empty now holds instances that this replica cannot unseal: polling again would not end.
      if (enough || performance.now() >= deadline || !this.queues.isEmpty(environmentID)) return work;
      if (work.length > 0) sendPart?.(work);
    }
    return [];
  }

  /**
   * An instance was queued, at this replica or another: polls for the pending claims until the queue is empty. `from` is a
   * session that returned its offers; its claims end, because it would return the next offers as well.
   */
  async onWork(environmentID: string, from?: string): Promise<void> {
    this.queues.onWork(environmentID);
    if (from !== undefined) this.pending.cancel(environmentID, from);
    for (let claim = this.pending.checkOut(environmentID); claim; claim = this.pending.checkOut(environmentID)) {
      const { sessionID, limit } = claim;
      const work = await this.poll(environmentID, sessionID, limit).catch(() => undefined);
      if (!work) return claim.end();
      this.pending.deliver(environmentID, claim, work);
      if (work.length === 0 || this.queues.isEmpty(environmentID)) return;
    }
  }

  private poll(environmentID: string, sessionID: string, limit: number): Promise<Work[]> {
    return this.queues.record(environmentID, () => this.queue.claimOldest(environmentID, sessionID, limit));
  }
}
