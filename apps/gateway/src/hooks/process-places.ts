import { PLACE_LEASE_SECONDS } from '@batuta/contracts';

const LEASE_MILLISECONDS = PLACE_LEASE_SECONDS * 1_000;
/** Early enough for a few more attempts. */
const RENEW_BEFORE_MILLISECONDS = LEASE_MILLISECONDS - 3_000;

/** What a call holds while it waits. */
export interface Place {
  /** For the next call; to be called once. */
  leave(): void;
}

type Asker = (place: Place | undefined) => void;

/**
 * The places of one process that this replica holds, and the calls that want one: a place that a call leaves is the next
 * one's. Times are of performance.now().
 */
export class ProcessPlaces {
  /** A request about them is under way. There is one at a time, so that its answer still fits what is here. */
  busy = false;
  private readonly queue: Asker[] = [];
  /** Of the queue's first, for how many places were asked for. */
  private asked = 0;
  private total = 0;
  private spare = 0;
  /** So many were spare all the time since the last look. */
  private idle = 0;
  private leaseEnd = 0;
  /** Grows when all places are lost: what calls took before are places no more. */
  private era = 0;
  /** The database may have more places here than we know of. */
  private doubtful = false;

  constructor(readonly processID: string) {}

  get held(): number {
    return this.total;
  }

  get wanting(): boolean {
    return this.queue.length > 0;
  }

  /** There is nothing to remember. */
  get needless(): boolean {
    return this.total === 0 && !this.wanting && !this.busy && !this.doubtful;
  }

  /** A place, or undefined once one was asked for in vain. */
  take(): Promise<Place | undefined> {
    this.loseExpired();
    return new Promise((resolve) => {
      this.queue.push(resolve);
      this.serve();
    });
  }

  /** How many are to be asked for now. */
  ask(): number {
    this.asked = this.queue.length;
    return this.asked;
  }

  /** The answer to what was asked for at `askedAt`: who still gets none is refused. */
  grant(granted: number, askedAt: number): void {
    this.loseExpired();
    if (granted > 0) this.leaseEnd = askedAt + LEASE_MILLISECONDS;
    this.total += granted;
    this.spare += granted;
    this.serve();
    for (const refuse of this.queue.splice(0, this.asked)) refuse(undefined);
  }

  /** Nobody answered: places may have been granted all the same. */
  fail(): void {
    this.doubtful = true;
    for (const refuse of this.queue.splice(0)) refuse(undefined);
  }

  /** Gives up what nobody has used for a while. Whether the service must be told what is held. */
  look(): boolean {
    this.loseExpired();
    this.total -= this.idle;
    this.spare -= this.idle;
    const changed = this.doubtful || this.idle > 0;
    this.idle = this.spare;
    this.doubtful = false;
    return changed || (this.total > 0 && this.leaseEnd - performance.now() < RENEW_BEFORE_MILLISECONDS);
  }

  /** The service knows what is held, as told at `toldAt`. */
  kept(toldAt: number): void {
    this.leaseEnd = toldAt + LEASE_MILLISECONDS;
  }

  /** Nobody answered. */
  doubt(): void {
    this.doubtful = true;
  }

  /** The calls that have places wait on without, and leave nothing to others. */
  lose(): void {
    this.era += 1;
    this.total = 0;
    this.spare = 0;
    this.idle = 0;
    this.doubtful = true;
  }

  private loseExpired(): void {
    if (this.total > 0 && performance.now() >= this.leaseEnd) this.lose();
  }

  private serve(): void {
    while (this.spare > 0) {
      const next = this.queue.shift();
      if (!next) return;
      this.spare -= 1;
      this.idle = Math.min(this.idle, this.spare);
      this.asked = Math.max(0, this.asked - 1);
      next(this.place());
    }
  }

  private place(): Place {
    const { era } = this;
    return {
      leave: () => {
        this.loseExpired();
        if (era !== this.era) return;
        this.spare += 1;
        this.serve();
      },
    };
  }
}
