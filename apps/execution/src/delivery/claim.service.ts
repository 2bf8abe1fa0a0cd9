import type { Abilities } from '@batuta/agent-protocol';
import type { InstanceWork } from '@batuta/contracts';
import { withTenant } from '@batuta/observability';
import { Injectable } from '@nestjs/common';
import { EmptyQueueCache } from '../claims/empty-queue-cache';
import type { ClaimRequest, PendingClaim } from '../claims/pending-claim';
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

  /**
   * Returns up to `limit` of the oldest queued instances that the agent can run. If the queue is empty, waits up to `waitMilliseconds` for the
   * next ones. With `sendPart` it passes each part to that function and waits on, usually until the parts together have `limit` instances or the
   * time is over; it returns the last part. Returns an empty list when the service stops or `PendingClaims.wait` ends early, and without a wait
   * when a poll takes nothing of a queue that may not be empty: this replica cannot take its instances now, or work was queued during the poll.
   */
  async claim(
    environmentID: string,
    { sessionID, limit, abilities, sendPart }: ClaimRequest,
    waitMilliseconds: number,
  ): Promise<InstanceWork[]> {
    const deadline = performance.now() + waitMilliseconds;
    for (let remaining = limit; !this.pending.isClosed;) {
      const timeLeft = deadline - performance.now();
      if (timeLeft > 0 && this.queues.isEmpty(environmentID, abilities)) {
        return this.pending.wait(environmentID, { sessionID, limit: remaining, abilities, sendPart }, timeLeft);
      }
      const work = await this.poll(environmentID, { sessionID, abilities }, remaining);
      remaining -= work.length;
      const enough = work.length > 0 && (!sendPart || remaining === 0);
      // A queue that does not count as empty after the poll may hold instances that this replica cannot take now, because it lacks their key or
      // memory for them: polling again might not end.
      if (enough || performance.now() >= deadline || !this.queues.isEmpty(environmentID, abilities)) return work;
      if (work.length > 0) sendPart?.(work);
    }
    return [];
  }

  /**
   * Handles the notification that an instance may have been queued: polls for the pending claims. `from` is a session whose pending claims end:
   * it takes no more work, or claims again.
   */
  async onWork(environmentID: string, from?: string): Promise<void> {
    this.queues.onWork(environmentID);
    if (from !== undefined) this.pending.cancel(environmentID, from);
    for (const abilities of this.pending.abilitiesIn(environmentID)) await this.pollFor(environmentID, abilities);
  }

  /** Polls the queue for the pending claims of agents with these abilities. A failed poll ends its claim, and leaves the others waiting. */
  private async pollFor(environmentID: string, { key }: Abilities): Promise<void> {
    const next = () => this.pending.checkOut(environmentID, (abilities) => abilities.key === key);
    for (let claim = next(); claim; claim = next()) {
      const work = await this.pollForClaim(environmentID, claim).catch(() => undefined);
      if (!work) return claim.end();
      this.pending.deliver(environmentID, claim, work);
      if (work.length === 0 || this.queues.isEmpty(environmentID, claim.abilities)) return;
    }
  }

  private pollForClaim(environmentID: string, claim: PendingClaim): Promise<InstanceWork[]> {
    return withTenant(claim.tenant, () => this.poll(environmentID, claim, claim.remainingLimit));
  }

  private poll(
    environmentID: string,
    { sessionID, abilities }: Pick<ClaimRequest, 'sessionID' | 'abilities'>,
    limit: number,
  ): Promise<InstanceWork[]> {
    return this.queues.pollAndRecord(environmentID, abilities, () =>
      this.queue.claimOldest(environmentID, { sessionID, abilities }, limit),
    );
  }
}
