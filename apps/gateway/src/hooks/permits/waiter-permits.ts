import {
  addPermits,
  loseLease,
  loseIfExpired,
  NO_PERMITS,
  recordRenewal,
  releasePermit,
  suspectPermitLease,
  sweepIdlePermits,
  takePermit,
  type PermitLease,
} from './permit-lease';

/** The permit of one waiting call. */
export interface Permit {
  /**
   * Passes the permit on to the next call in the queue, or keeps it free for a later one; does nothing when the lease was lost since. Must be
   * called exactly once.
   */
  release(): void;
}

/** Receives a permit, or undefined when none is available. */
type PermitReceiver = (permit: Permit | undefined) => void;

/**
 * A leased semaphore: the permits of one process that this replica leases (interpretation 29), and the calls that queue
 * for one. A call in the queue:
 *
 *     queued ──a permit is free──▶ served
 *       └── requested ──the reply has no permit for it──▶ refused (without a reply: every call in the queue)
 *
 * A released permit serves the next call in the queue. permit-lease.ts has the states of the permits themselves.
 */
export class WaiterPermits {
  /** At most one request about this process is in flight, so that its reply matches the state of this object. */
  requestInFlight = false;
  private readonly queue: PermitReceiver[] = [];
  /** The number of calls at the front of the queue that the request in flight is for. */
  private requested = 0;
  private lease: PermitLease = NO_PERMITS;

  constructor(readonly processID: string) {}

  /** The number of leased permits, free and in use. */
  get held(): number {
    return this.lease.held;
  }

  get hasQueue(): boolean {
    return this.queue.length > 0;
  }

  /** Whether nothing is held, queued, in flight or uncertain, so that this object can be dropped. */
  get isUnused(): boolean {
    return this.held === 0 && !this.hasQueue && !this.requestInFlight && !this.lease.isSuspect;
  }

  /** Queues a call for a permit; resolves with undefined when its request got no permit for it. */
  acquire(): Promise<Permit | undefined> {
    this.checkExpiry();
    return new Promise((resolve) => {
      this.queue.push(resolve);
      this.serve();
    });
  }

  /** Marks a request as begun; returns the number of permits to ask for. */
  beginRequest(): number {
    this.requested = this.queue.length;
    return this.requested;
  }

  /**
   * Applies the reply to the request sent at `requestedAt`: calls of that request that still have no permit are
   * refused.
   */
  addPermits(count: number, requestedAt: number): void {
    this.checkExpiry();
    this.lease = addPermits(this.lease, count, requestedAt);
    this.serve();
    for (const refuse of this.queue.splice(0, this.requested)) refuse(undefined);
  }

  /**
   * Refuses all calls in the queue, because the request got no reply. The webhook service may still have leased permits; the
   * next renewal corrects that.
   */
  recordFailedRequest(): void {
    this.lease = suspectPermitLease(this.lease);
    for (const refuse of this.queue.splice(0)) refuse(undefined);
  }

  /**
   * Drops all permits if the lease has expired, and otherwise gives up those that were free since the last sweep; the next renewal tells the webhook
   * service the smaller number. Returns true when a renewal is due now: the number became smaller or is uncertain, or the lease ends soon.
   */
  sweep(): boolean {
    this.checkExpiry();
    const { lease, renewalDue } = sweepIdlePermits(this.lease, performance.now());
    this.lease = lease;
    return renewalDue;
  }

  /** Applies the webhook service's confirmation of the renewal sent at `sentAt`. */
  recordRenewal(sentAt: number): void {
    this.lease = recordRenewal(this.lease, sentAt);
  }

  /** The permits stay valid until their lease ends; the next sweep tries the renewal again. */
  recordFailedRenewal(): void {
    this.lease = suspectPermitLease(this.lease);
  }

  /** Drops all permits: the webhook service no longer counts them for this replica, or the replica returns all of them. */
  lose(): void {
    this.lease = loseLease(this.lease);
  }

  private checkExpiry(): void {
    this.lease = loseIfExpired(this.lease, performance.now());
  }

  private serve(): void {
    while (this.lease.free > 0) {
      const next = this.queue.shift();
      if (!next) return;
      this.lease = takePermit(this.lease);
      this.requested = Math.max(0, this.requested - 1);
      next(this.createPermit());
    }
  }

  private createPermit(): Permit {
    const { generation } = this.lease;
    return {
      release: () => {
        this.checkExpiry();
        if (generation !== this.lease.generation) return;
        this.lease = releasePermit(this.lease);
        this.serve();
      },
    };
  }
}
