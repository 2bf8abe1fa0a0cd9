import type { ServerResponse } from 'node:http';

/** The demand of a tenant is a mean of about this time. */
const DEMAND_WINDOW_MS = 1_000;
/** The usual demand of a tenant is a mean of about this time. */
const USUAL_DEMAND_WINDOW_MS = 4_000;
/**
 * The rate of a tenant that has called for less than USUAL_DEMAND_WINDOW_MS is a mean over the time since its first call,
 * which counts as this long at least.
 */
const MIN_RATE_WINDOW_MS = 1_000;
/** Calls may begin at the usual rate of the tenant times this factor, because calls do not come at equal intervals. */
const RATE_MARGIN = 1.25;
/** A tenant that calls less than usual saves calls for later, at most as many as its usual rate has in this time. */
const SAVED_CALLS_WINDOW_MS = 1_000;
/** Time after its last call for which a tenant still counts as one that calls. */
const ACTIVE_AFTER_CALL_MS = 2_000;

/** The calls of one tenant at one replica, and the mean number of them. */
export class TenantCalls {
  /** Responses that are being made, each with the time at which its call began to run. */
  private readonly running = new Map<ServerResponse, number>();
  /** What lets each waiting call begin, in the order of arrival. */
  private readonly waiting = new Set<() => void>();
  private heldPlaces = 0;
  private meanCalls = 0;
  private usualCalls = 0;
  /** Calls that have begun since the last `sample`. */
  private begunSinceSample = 0;
  private ageMs = 0;
  private usualRate = 0;
  private allowedCalls = 0;
  private calledAt = 0;

  constructor(readonly tenant: string) {}

  /** Places that the tenant occupies: calls that run, and places that are held after a call. */
  get occupied(): number {
    return this.running.size + this.heldPlaces;
  }

  /** Mean number of calls that run or wait. */
  get demand(): number {
    return this.meanCalls;
  }

  /** The demand of the last seconds, which follows a burst slowly. */
  get usualDemand(): number {
    return this.usualCalls;
  }

  /** Whether one more call may begin at the rate of the last seconds: calls of a steady rate that take longer than before are no burst. */
  get isWithinUsualRate(): boolean {
    return this.allowedCalls >= 1;
  }

  /** Whether the tenant has no call, and has had none lately. */
  isIdle(now: number): boolean {
    return this.occupied + this.waiting.size === 0 && now - this.calledAt > ACTIVE_AFTER_CALL_MS;
  }

  get waitingCalls(): number {
    return this.waiting.size;
  }

  begin(response: ServerResponse, now: number): void {
    this.running.set(response, now);
    this.calledAt = now;
    this.begunSinceSample += 1;
    this.allowedCalls = Math.max(0, this.allowedCalls - 1);
  }

  /** Returns the duration of the call in milliseconds; undefined when it does not run. */
  end(response: ServerResponse, now: number): number | undefined {
    const began = this.running.get(response);
    this.running.delete(response);
    return began === undefined ? undefined : now - began;
  }

  /** Keeps a place occupied for some time; then calls `whenOver`. */
  holdPlace(milliseconds: number, whenOver: () => void): void {
    this.heldPlaces += 1;
    setTimeout(() => {
      this.heldPlaces -= 1;
      whenOver();
    }, milliseconds).unref();
  }

  /** Adds a call to those that wait; `go` runs once, when `admitWaiting` lets the call begin. */
  wait(go: () => void): void {
    this.waiting.add(go);
  }

  /** Removes a call that no longer waits for its turn; its `go` is not run. */
  stopWaiting(go: () => void): void {
    this.waiting.delete(go);
  }

  /** Lets calls go in the order of their arrival as long as `mayRun`. */
  admitWaiting(mayRun: () => boolean): void {
    for (const go of this.waiting) {
      if (!mayRun()) return;
      this.waiting.delete(go);
      go();
    }
  }

  /** Counts the calls, `passedMs` milliseconds after the last time. */
  sample(passedMs: number): void {
    const calls = this.running.size + this.waiting.size;
    this.meanCalls += (calls - this.meanCalls) * Math.min(1, passedMs / DEMAND_WINDOW_MS);
    this.usualCalls += (calls - this.usualCalls) * Math.min(1, passedMs / USUAL_DEMAND_WINDOW_MS);
    this.ageMs += passedMs;
    const rateMs = Math.max(MIN_RATE_WINDOW_MS, Math.min(this.ageMs, USUAL_DEMAND_WINDOW_MS));
    this.usualRate += (this.begunSinceSample - this.usualRate * passedMs) / Math.max(rateMs, passedMs);
    this.begunSinceSample = 0;
    const rate = RATE_MARGIN * this.usualRate;
    this.allowedCalls = Math.min(this.allowedCalls + rate * passedMs, rate * SAVED_CALLS_WINDOW_MS);
  }

  /** The responses that are being sent. The work for them is done; an event stream may stay open for minutes. */
  *begunResponses(): Generator<ServerResponse> {
    for (const response of this.running.keys()) if (response.headersSent) yield response;
  }
}
