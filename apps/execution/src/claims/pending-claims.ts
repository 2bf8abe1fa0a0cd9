import type { Abilities } from '@batuta/agent-protocol';
import type { InstanceWork } from '@batuta/contracts';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { EmptyQueueCache } from './empty-queue-cache';
import { PendingClaim, type ClaimRequest } from './pending-claim';

/**
 * The claims that wait at this replica, by environment in the order of their arrival. A start accepted at this replica can go directly to one of
 * them instead of through the queue. This is an optimization: an instance that no claim takes is queued, notified and claimed.
 *
 * `checkOut` hands a claim to one caller, who returns it with `deliver` or `checkIn`; meanwhile nobody else sees the claim.
 */
@Injectable()
export class PendingClaims implements OnModuleDestroy {
  private readonly waiting = new Map<string, Set<PendingClaim>>();
  private closed = false;

  constructor(private readonly queues: EmptyQueueCache) {}

  /** True once the service stops; no claim waits any longer. */
  get isClosed(): boolean {
    return this.closed;
  }

  /**
   * Resolves with the work that ends the claim; with an empty list after the given milliseconds, or when the claim is cancelled, missed
   * a notification, or the service stops. Parts that `sendPart` took are not in the list.
   */
  wait(environmentID: string, request: ClaimRequest, milliseconds: number): Promise<InstanceWork[]> {
    if (this.closed) return Promise.resolve([]);
    return new Promise((resolve) => {
      const claim = new PendingClaim(request, resolve);
      this.add(environmentID, claim);
      claim.startTimer(milliseconds, () => {
        if (this.remove(environmentID, claim)) claim.end();
      });
    });
  }

  /** The different abilities for which claims wait, those of the longest wait first. */
  abilitiesIn(environmentID: string): Abilities[] {
    const claims = [...(this.waiting.get(environmentID) ?? [])];
    return [...new Map(claims.map(({ abilities }) => [abilities.key, abilities])).values()];
  }

  /**
   * Checks out the claim that waits longest among those whose agents have fitting abilities; undefined when there is
   * none.
   */
  checkOut(environmentID: string, fits: (abilities: Abilities) => boolean): PendingClaim | undefined {
    const claim = this.firstWaiting(environmentID, fits);
    if (!claim) return undefined;
    this.remove(environmentID, claim);
    claim.lastNotified = this.queues.lastNotification(environmentID);
    return claim;
  }

  /** Delivers work, and checks in a claim that still waits for more, behind the other pending claims. */
  deliver(environmentID: string, claim: PendingClaim, work: InstanceWork[]): void {
    if (work.length === 0 || claim.deliver(work)) this.checkIn(environmentID, claim);
  }

  /**
   * Lets the claim wait again. Ends it instead if it timed out meanwhile, if the service stops, or if its queue was notified during the
   * check-out: the session's next claim polls the queue before it waits.
   */
  checkIn(environmentID: string, claim: PendingClaim): void {
    const missed = claim.lastNotified !== this.queues.lastNotification(environmentID);
    if (this.closed || claim.isTimedOut || missed) claim.end();
    else this.add(environmentID, claim);
  }

  /**
   * Ends the waiting claims of a session with an empty list: the session takes no more work, or claims again. A claim that
   * is checked out at that moment is not ended.
   */
  cancel(environmentID: string, sessionID: string): void {
    for (const claim of this.waiting.get(environmentID) ?? []) {
      if (claim.sessionID === sessionID && this.remove(environmentID, claim)) claim.end();
    }
  }

  onModuleDestroy(): void {
    this.closed = true;
    for (const claims of this.waiting.values()) for (const claim of claims) claim.end();
    this.waiting.clear();
  }

  private firstWaiting(environmentID: string, fits: (abilities: Abilities) => boolean): PendingClaim | undefined {
    for (const claim of this.waiting.get(environmentID) ?? []) if (fits(claim.abilities)) return claim;
    return undefined;
  }

  private add(environmentID: string, claim: PendingClaim): void {
    const claims = this.waiting.get(environmentID) ?? new Set();
    this.waiting.set(environmentID, claims.add(claim));
  }

  private remove(environmentID: string, claim: PendingClaim): boolean {
    const claims = this.waiting.get(environmentID);
    const removed = claims?.delete(claim) === true;
    if (claims?.size === 0) this.waiting.delete(environmentID);
    return removed;
  }
}
