import {
  granted,
  lost,
  lostIfExpired,
  NO_PERMITS,
  released,
  renewed,
  suspected,
  swept,
  taken,
  type PermitLease,
} from './permit-lease';

/** The permit of one waiting call. */
export interface Permit {
  /** Passes the permit on to the next call; must be called once. */
  release(): void;
}

/** Receives a permit, or undefined when none is available. */
type Acquirer = (permit: Permit | undefined) => void;

/**
 * A leased semaphore: the permits of one process that this replica leases (interpretation 29), and the calls that queue
 * for one. A call in the queue:
 *
 *     queued ──a permit is free──▶ served
 *       └── requested ──the grant has no permit for it, or no reply──▶ refused
 *
 * A released permit serves the next call in the queue. permit-lease.ts has the states of the permits themselves.
 */
export class WaiterPermits {
  /** At most one request about this process is in flight, so that its reply still matches the state here. */
  requestInFlight = false;
  private readonly queue: Acquirer[] = [];
  /** The first calls of the queue, for which the request in flight asks. */
  private requested = 0;
  private lease: PermitLease = NO_PERMITS;

  constructor(readonly processID: string) {}

  get held(): number {
    return this.lease.held;
  }

  get hasQueue(): boolean {
    return this.queue.length > 0;
  }

  /** Nothing is held, queued, in flight or uncertain: this object can be dropped. */
  get isUnused(): boolean {
    return this.held === 0 && !this.hasQueue && !this.requestInFlight && !this.lease.suspect;
  }

  /** Resolves with undefined when a request brought no permit for this call. */
  acquire(): Promise<Permit | undefined> {
    this.checkExpiry();
    return new Promise((resolve) => {
      this.queue.push(resolve);
      this.serve();
    });
  }

  /** A request begins; returns the number of permits to ask for. */
  beginRequest(): number {
    this.requested = this.queue.length;
    return this.requested;
  }

  /** The reply to the request sent at `requestedAt`: the calls it was for and that still have no permit are refused. */
  grant(count: number, requestedAt: number): void {
    this.checkExpiry();
    this.lease = granted(this.lease, count, requestedAt);
    this.serve();
    for (const refuse of this.queue.splice(0, this.requested)) refuse(undefined);
  }

  /** No reply to the request, which may have been granted all the same: refuses all calls in the queue. */
  requestFailed(): void {
    this.lease = suspected(this.lease);
    for (const refuse of this.queue.splice(0)) refuse(undefined);
  }

  /** Returns idle permits; true when a renewal must be sent. */
  sweep(): boolean {
    this.checkExpiry();
    const { lease, renewalDue } = swept(this.lease, performance.now());
    this.lease = lease;
    return renewalDue;
  }

  /** The service confirmed the renewal sent at `sentAt`. */
  renewed(sentAt: number): void {
    this.lease = renewed(this.lease, sentAt);
  }

  renewalFailed(): void {
    this.lease = suspected(this.lease);
  }

  /** The service no longer counts these permits for this replica, or they are all to be returned. */
  lose(): void {
    this.lease = lost(this.lease);
  }

  private checkExpiry(): void {
    this.lease = lostIfExpired(this.lease, performance.now());
  }

  private serve(): void {
    while (this.lease.free > 0) {
      const next = this.queue.shift();
      if (!next) return;
      this.lease = taken(this.lease);
      this.requested = Math.max(0, this.requested - 1);
      next(this.permit());
    }
  }

  private permit(): Permit {
    const { generation } = this.lease;
    return {
      release: () => {
        this.checkExpiry();
        if (generation !== this.lease.generation) return;
        this.lease = released(this.lease);
        this.serve();
      },
    };
  }
}
