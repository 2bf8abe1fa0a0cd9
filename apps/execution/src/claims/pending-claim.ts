import type { Abilities } from '@batuta/agent-protocol';
import type { InstanceWork } from '@batuta/contracts';
import { currentTenant } from '@batuta/observability';

/** Sends work to a session before the reply that ends its claim. */
export type SendClaimedWork = (work: InstanceWork[]) => void;

/** A session's request for up to `limit` instances. Without `sendPart` the first delivered work ends the claim. */
export interface ClaimRequest {
  sessionID: string;
  limit: number;
  /** The abilities that the agent of the session announced. */
  abilities: Abilities;
  sendPart?: SendClaimedWork;
}

/** A claim that found the queue empty and waits for work. */
export class PendingClaim {
  private timer: NodeJS.Timeout | undefined;
  private timedOut = false;
  private remaining: number;
  /**
   * The tenant that sent the claim. Polls for the claim count as work of this tenant, whichever request begins them.
   */
  readonly tenant = currentTenant();
  /**
   * Set by `PendingClaims.checkOut`, which hands the claim to one caller: the number of the last notification that work was
   * queued in the environment. When it has changed at the check-in, the claim has missed a notification and ends.
   */
  lastNotified: number | undefined;

  constructor(
    private readonly request: ClaimRequest,
    private readonly reply: (work: InstanceWork[]) => void,
  ) {
    this.remaining = request.limit;
  }

  get sessionID(): string {
    return this.request.sessionID;
  }

  get abilities(): Abilities {
    return this.request.abilities;
  }

  /** How many more instances the claim takes. */
  get remainingLimit(): number {
    return this.remaining;
  }

  /** True once the timer has fired. A claim that is checked out at that moment ends with its check-in or its next work. */
  get isTimedOut(): boolean {
    return this.timedOut;
  }

  /** After `milliseconds`, marks the claim as timed out and calls `onTimeout`, which ends a claim that is not checked out. */
  startTimer(milliseconds: number, onTimeout: () => void): void {
    this.timer = setTimeout(() => {
      this.timedOut = true;
      onTimeout();
    }, milliseconds).unref();
  }

  /** Delivers work; returns whether the claim waits for more. */
  deliver(work: InstanceWork[]): boolean {
    this.remaining -= work.length;
    const continues = this.request.sendPart !== undefined && this.remaining > 0 && !this.timedOut;
    if (continues) this.request.sendPart?.(work);
    else this.end(work);
    return continues;
  }

  /** Replies with the work, which ends the claim. */
  end(work: InstanceWork[] = []): void {
    clearTimeout(this.timer);
    this.reply(work);
  }
}
