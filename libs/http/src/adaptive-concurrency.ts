import { ApiError } from '@batuta/errors';
import type { Metrics } from '@batuta/observability';
import type { ServerResponse } from 'node:http';
import { AdaptiveLimit } from './adaptive-limit';
import { TenantCalls } from './tenant-calls';

const SAMPLE_INTERVAL_MS = 20;
/** A timer that is later counts as this late, so that one pause of the whole machine does not count as seconds of waiting for processors. */
const MAX_SAMPLED_DELAY_MS = 50;
const ADJUSTMENT_INTERVAL_MS = 100;
/**
 * Calls that a tenant that is not limited may have in progress beyond its usual demand. A burst of calls therefore begins little by little, and a
 * tenant that sends hundreds is limited before dozens of them are in progress.
 */
const FREE_CALLS = 4;
/** The demand of a tenant is large if it exceeds the demand of other tenants by this factor. */
const LARGE_DEMAND_RATIO = 2;
/**
 * A tenant is limited until its demand has not been large for this time, because its refused calls are repeated and dozens of them would begin at
 * once.
 */
const MIN_LIMITED_MS = 10_000;
/** Share of the other tenants, but at least one, whose demand a large demand must exceed by LARGE_DEMAND_RATIO. */
const SMALL_TENANTS_SHARE = 1 / 4;
/** The longest time for which the place of an ended call of a limited tenant stays occupied, so that the tenant rests. */
const MAX_HELD_PLACE_MS = 1_000;
/** The longest wait of a call is random between these, so that calls that arrived together are not refused together. */
const MAX_WAIT_MS = { from: 5_000, to: 10_000 };

/**
 * Limits the calls in progress of tenants that send many at a time, while others send few and the programs of this machine wait for its processors,
 * so that the calls of the others do not wait as well. A tenant that calls alone has no limit.
 */
export class AdaptiveConcurrency {
  private readonly tenants = new Map<string, TenantCalls>();
  private readonly tenantOf = new WeakMap<ServerResponse, TenantCalls>();
  /** The tenants that are limited, also those that have stopped calling, each with the last time at which its demand was large. */
  private readonly limited = new Map<string, number>();
  private limit = new AdaptiveLimit();
  private timer: NodeJS.Timeout | undefined;
  private sampledAt = 0;
  private adjustedAt = 0;
  private delays: number[] = [];

  /** `largeDemand` = mean number of calls at a time above which the demand of a tenant can be large; `now` = milliseconds of a monotonic clock. */
  constructor(
    private readonly largeDemand: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Makes an AdaptiveConcurrency and a gauge of its waiting calls. */
  static watchedBy(metrics: Metrics, largeDemand: number): AdaptiveConcurrency {
    const concurrency = new AdaptiveConcurrency(largeDemand);
    const help = 'Calls that wait because their company has too many in progress while others call';
    metrics.gauge('batuta_calls_held_back', help, () => concurrency.waiting);
    return concurrency;
  }

  /** Number of waiting calls of all tenants. */
  get waiting(): number {
    return [...this.tenants.values()].reduce((sum, { waitingCalls }) => sum + waitingCalls, 0);
  }

  /**
   * Returns undefined when the call of the tenant may go on at once, and otherwise a promise that resolves when it may. The call is in progress until
   * the headers of its response are sent (noticed at the next sample), the response is closed, or `leave` is called. After a wait of five to ten
   * seconds the promise rejects with RATE_LIMITED if the tenant is limited then, and otherwise resolves. It also rejects when the client disconnects.
   */
  enter(tenant: string, response: ServerResponse): Promise<void> | undefined {
    const calls = this.tenants.get(tenant) ?? new TenantCalls(tenant);
    this.tenants.set(tenant, calls);
    this.timer ??= this.startSampling();
    this.admitWaiting(calls);
    if (calls.waitingCalls === 0 && this.mayBegin(calls)) {
      this.begin(calls, response);
      return undefined;
    }
    return this.wait(calls, response);
  }

  /**
   * The call is no longer in progress: its response has begun or ended, or comes much later because it waits for something else than the services.
   */
  leave(response: ServerResponse): void {
    const calls = this.tenantOf.get(response);
    const duration = calls?.end(response, this.now());
    if (!calls || duration === undefined) return;
    const proceed = () => this.admitWaiting(calls);
    const limit = this.limit.value;
    const heldMs = limit < 1 && this.isLimited(calls) ? duration * (1 / limit - 1) : 0;
    if (heldMs > 0) calls.holdPlace(Math.min(heldMs, MAX_HELD_PLACE_MS), proceed);
    else proceed();
  }

  private begin(calls: TenantCalls, response: ServerResponse): void {
    // A response whose client has disconnected emits no further `close`, and would occupy its place forever.
    if (response.destroyed) return;
    calls.begin(response, this.now());
    this.tenantOf.set(response, calls);
    response.once('close', () => this.leave(response));
  }

  private wait(calls: TenantCalls, response: ServerResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        response.off('close', refuse);
        calls.stopWaiting(go);
      };
      const go = () => {
        stop();
        this.begin(calls, response);
        resolve();
      };
      const refuse = () => {
        stop();
        if (!response.destroyed && !response.headersSent) response.setHeader('Retry-After', '1');
        reject(new ApiError('RATE_LIMITED', 'The company has too many calls in progress; send fewer at a time.'));
      };
      const timeLimit = MAX_WAIT_MS.from + Math.random() * (MAX_WAIT_MS.to - MAX_WAIT_MS.from);
      const timer = setTimeout(() => (this.isLimited(calls) ? refuse() : go()), timeLimit).unref();
      response.once('close', refuse);
      calls.wait(go);
    });
  }

  private admitWaiting(calls: TenantCalls): void {
    calls.admitWaiting(() => this.mayBegin(calls));
  }

  private mayBegin(calls: TenantCalls): boolean {
    if (calls.occupied < this.limitOf(calls)) return true;
    return calls.isWithinUsualRate && calls.occupied < this.largeDemand && !this.isLimited(calls);
  }

  private limitOf(calls: TenantCalls): number {
    if (this.tenants.size === 1) return Infinity;
    return this.isLimited(calls) ? Math.max(1, this.limit.value) : FREE_CALLS + calls.usualDemand;
  }

  private isLimited({ tenant }: TenantCalls): boolean {
    return this.limited.has(tenant);
  }

  /** Whether the demand is large in itself, and beside that of other tenants. */
  private isLarge(calls: TenantCalls): boolean {
    if (calls.demand <= this.largeDemand) return false;
    const others = [...this.tenants.values()].filter((other) => other !== calls).map(({ demand }) => demand);
    const small = others.filter((demand) => LARGE_DEMAND_RATIO * demand < calls.demand).length;
    return small > 0 && small >= SMALL_TENANTS_SHARE * others.length;
  }

  private startSampling(): NodeJS.Timeout {
    this.limit = new AdaptiveLimit();
    this.delays = [];
    this.sampledAt = this.now();
    this.adjustedAt = this.sampledAt;
    return setInterval(() => this.sample(), SAMPLE_INTERVAL_MS).unref();
  }

  private sample(): void {
    const now = this.now();
    const passed = now - this.sampledAt;
    this.sampledAt = now;
    this.delays.push(Math.min(MAX_SAMPLED_DELAY_MS, Math.max(0, passed - SAMPLE_INTERVAL_MS)));
    for (const [tenant, calls] of this.tenants) {
      for (const response of calls.begunResponses()) this.leave(response);
      calls.sample(passed);
      if (calls.isIdle(now)) this.tenants.delete(tenant);
    }
    for (const calls of this.tenants.values()) if (this.isLarge(calls)) this.limited.set(calls.tenant, now);
    for (const [tenant, largeAt] of this.limited) if (now - largeAt > MIN_LIMITED_MS) this.limited.delete(tenant);
    if (now - this.adjustedAt >= ADJUSTMENT_INTERVAL_MS) this.adjust(now);
    if (this.tenants.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.limited.clear();
  }

  private adjust(now: number): void {
    this.adjustedAt = now;
    const delay = this.delays.reduce((sum, one) => sum + one, 0) / this.delays.length;
    this.delays = [];
    this.limit.adjust(delay, this.limited.size > 0);
    for (const calls of this.tenants.values()) this.admitWaiting(calls);
  }
}
