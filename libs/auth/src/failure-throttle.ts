import { MinuteCounts } from './minute-counts';

/** Slows down the guessing of secrets: counts failures per key (an address, an e-mail) and minute, in this replica. */
export class FailureThrottle {
  private readonly counts: MinuteCounts;

  constructor(perMinute: number) {
    this.counts = new MinuteCounts(perMinute);
  }

  /** Milliseconds until all of the keys are below their limit; 0 = they are now. `now` is in epoch milliseconds. */
  waitMsOf(keys: readonly string[], now: number): number {
    return this.counts.waitMsOf(keys, now);
  }

  recordFailure(keys: readonly string[], now: number): void {
    this.counts.record(keys, now);
  }
}
