/** A higher mean delay of the timers of the event loop shows that the programs of this machine wait for its processors. */
const MAX_DELAY_MS = 1.5;
/** Calls in progress of one tenant. Under a limit below one, a call occupies its place after its end, for a multiple of its duration. */
const LIMIT = { initial: 1 / 2, min: 1 / 4, max: 64, growth: 1.1, shrinkage: 0.7 };
/** The limit while it is relaxed, unless it is higher already: enough calls to use the processors of a small machine. */
const RELAXED_LIMIT = 16;
/** Weight of the newest delay in the mean, which thereby covers about a second. */
const NEWEST_WEIGHT = 0.1;
/** Number of adjustments (one second) in which the delay still counts as one without the limit, because earlier calls are still running. */
const ONSET_ADJUSTMENTS = 10;
/** Number of adjustments (two seconds) after which the limit must have helped. */
const TRIAL_ADJUSTMENTS = 20;
/** A limit that helps brings the mean delay below this part of the delay before it. */
const HELPFUL_DELAY_RATIO = 0.7;
/** Number of adjustments for which the limit is relaxed: one second at first, and twice as long after each further trial in which the limit did not help. */
const RELAXED_ADJUSTMENTS = { first: 10, max: 160 };

/**
 * The number of calls that a limited tenant may have in progress. The limit shrinks by a factor while timers are late, and grows slowly
 * otherwise, as in TCP. It is relaxed for a time when timers are as late as before, because then other work keeps the processors busy.
 */
export class AdaptiveLimit {
  private current = LIMIT.initial;
  private meanDelay = 0;
  private delayBefore = 0;
  /** Number of adjustments since the limit came into force, or since its last relaxation ended. */
  private adjustmentsSinceOnset = 0;
  private relaxedFor = 0;
  private nextRelaxation = RELAXED_ADJUSTMENTS.first;

  /** A number of calls, also below one. */
  get value(): number {
    return this.relaxedFor > 0 ? Math.max(RELAXED_LIMIT, this.current) : this.current;
  }

  /**
   * Call it about ten times a second. `delay` = mean delay of the timers since the last call, in milliseconds; `isInForce` = a tenant is
   * limited.
   */
  adjust(delay: number, isInForce: boolean): void {
    this.meanDelay += (delay - this.meanDelay) * NEWEST_WEIGHT;
    if (this.relaxedFor > 0) {
      this.relaxedFor -= 1;
      if (this.relaxedFor === 0) this.beginTrial();
    } else if (!isInForce) {
      this.beginTrial();
      this.nextRelaxation = RELAXED_ADJUSTMENTS.first;
    } else {
      this.adapt(delay);
    }
  }

  private beginTrial(): void {
    this.current = LIMIT.initial;
    this.delayBefore = this.meanDelay;
    this.adjustmentsSinceOnset = 0;
  }

  private adapt(delay: number): void {
    if (Math.min(delay, this.meanDelay) > MAX_DELAY_MS)
      this.current = Math.max(LIMIT.min, this.current * LIMIT.shrinkage);
    else this.current = Math.min(LIMIT.max, this.current * LIMIT.growth);
    this.adjustmentsSinceOnset += 1;
    if (this.adjustmentsSinceOnset <= ONSET_ADJUSTMENTS) this.delayBefore = Math.max(this.delayBefore, this.meanDelay);
    if (this.adjustmentsSinceOnset < TRIAL_ADJUSTMENTS) return;
    if (this.meanDelay > Math.max(MAX_DELAY_MS, HELPFUL_DELAY_RATIO * this.delayBefore)) this.relax();
    else this.nextRelaxation = RELAXED_ADJUSTMENTS.first;
  }

  private relax(): void {
    this.relaxedFor = this.nextRelaxation;
    this.nextRelaxation = Math.min(RELAXED_ADJUSTMENTS.max, 2 * this.nextRelaxation);
  }
}
