import { ApiError } from '@batuta/errors';
import type { Metrics } from '@batuta/observability';
import type { ServerResponse } from 'node:http';
import { TenantCalls } from './tenant-calls';

const SAMPLE_MS = 20;
const SAMPLES_PER_ADJUSTMENT = 5;
/** A higher mean delay of the timers of the event loop shows that the programs of this machine wait for its processors. */
const MAX_DELAY_MS = 1.5;
/** Calls that a tenant without a large demand may have in progress beyond its demand. A burst of calls therefore begins over half a second, not at once. */
const FREE_CALLS = 4;
/** The demand of a tenant is large when it exceeds this number of calls at a time, and the demand of other tenants by this factor. */
const LARGE_DEMAND = 16;
const LARGE_DEMAND_RATIO = 2;
/** Part of the other tenants, but at least one of them, that the demand must exceed by that factor. */
const SMALL_TENANTS_SHARE = 1 / 4;
/** Calls in progress of a tenant with a large demand. Below one, a place rests after each call, for a multiple of its duration. */
const CONCURRENCY = { initial: 1 / 2, min: 1 / 4, max: 64, growth: 1.1, shrinkage: 0.7 };
/**
 * Adjustments in a row at which timers are late although the limit is at its minimum. After more of them the limit is lifted, because other work
 * keeps the processors busy.
 */
const MAX_VAIN_ADJUSTMENTS = 15;
/** How long the limit stays lifted: ten seconds. */
const ADJUSTMENTS_WITHOUT_LIMIT = 100;
const MAX_REST_MS = 1_000;
/** Each call waits for a random time between these, so that calls that arrived together are not refused together. */
const MAX_WAIT_MS = { from: 5_000, to: 10_000 };

/**
 * Limits the calls in progress of tenants that send many at a time, while others send few and the programs of this machine wait for its processors,
 * so that the calls of the others do not wait as well. The limit adapts as in TCP: it shrinks by a factor while timers are late, and
 * grows slowly otherwise. A tenant that calls alone has no limit, and nobody has one for ten seconds after it was no help.
 */
export class AdaptiveConcurrency {
  private readonly tenants = new Map<string, TenantCalls>();
  private readonly tenantOf = new WeakMap<ServerResponse, TenantCalls>();
  private limit = CONCURRENCY.initial;
  private vainAdjustments = 0;
  private adjustmentsWithoutLimit = 0;
  private timer: NodeJS.Timeout | undefined;
  private sampledAt = 0;
  private delays: number[] = [];

  /** `now` = milliseconds of a monotonic clock. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** With a gauge of the calls that wait. */
  static watchedBy(metrics: Metrics): AdaptiveConcurrency {
    const concurrency = new AdaptiveConcurrency();
    const help = 'Calls that wait because their company has too many in progress while others call';
    metrics.gauge('batuta_calls_held_back', help, () => concurrency.waiting);
    return concurrency;
  }

  get waiting(): number {
    return [...this.tenants.values()].reduce((sum, { waitingCalls }) => sum + waitingCalls, 0);
  }

  /**
   * Returns undefined when the call of the tenant may go on at once, and otherwise a promise that resolves when it may. The call is in progress
   * until its response has begun, or until `leave`. Rejects with RATE_LIMITED when it has waited for five to ten seconds, and when the client disconnects.
   */
  enter(tenant: string, response: ServerResponse): Promise<void> | undefined {
    const calls = this.tenants.get(tenant) ?? new TenantCalls();
    this.tenants.set(tenant, calls);
    this.timer ??= this.startSampling();
    this.letGo(calls);
    if (calls.waitingCalls === 0 && calls.occupied < this.limitOf(calls)) {
      this.begin(calls, response);
      return undefined;
    }
    return this.wait(calls, response);
  }

  /** Ends the progress of a call whose response comes much later, because it waits for something else than the services. */
  leave(response: ServerResponse): void {
    const calls = this.tenantOf.get(response);
    const duration = calls?.end(response, this.now());
    if (!calls || duration === undefined) return;
    const proceed = () => this.letGo(calls);
    const rest = this.limit < 1 && this.isLarge(calls) ? duration * (1 / this.limit - 1) : 0;
    if (rest > 0) calls.rest(Math.min(rest, MAX_REST_MS), proceed);
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
      };
      const go = () => {
        stop();
        this.begin(calls, response);
        resolve();
      };
      const refuse = () => {
        stop();
        calls.stopWaiting(go);
        if (!response.destroyed) response.setHeader('Retry-After', '1');
        reject(new ApiError('RATE_LIMITED', 'The company has too many calls in progress; send fewer at a time.'));
      };
      const timer = setTimeout(refuse, MAX_WAIT_MS.from + Math.random() * (MAX_WAIT_MS.to - MAX_WAIT_MS.from));
      response.once('close', refuse);
      calls.wait(go);
    });
  }

  private letGo(calls: TenantCalls): void {
    calls.letGo(() => calls.occupied < this.limitOf(calls));
  }

  private limitOf(calls: TenantCalls): number {
    if (this.tenants.size === 1 || this.adjustmentsWithoutLimit > 0) return Infinity;
    if (this.isLarge(calls)) return Math.max(1, this.limit);
    return FREE_CALLS + calls.demand;
  }

  /** Whether the demand is large in itself, and beside that of other tenants. */
  private isLarge(calls: TenantCalls): boolean {
    if (calls.demand <= LARGE_DEMAND) return false;
    const others = [...this.tenants.values()].filter((other) => other !== calls).map(({ demand }) => demand);
    const small = others.filter((demand) => LARGE_DEMAND_RATIO * demand < calls.demand).length;
    return small > 0 && small >= SMALL_TENANTS_SHARE * others.length;
  }

  private startSampling(): NodeJS.Timeout {
    this.sampledAt = this.now();
    return setInterval(() => this.sample(), SAMPLE_MS).unref();
  }

  private sample(): void {
    const now = this.now();
    this.delays.push(Math.max(0, now - this.sampledAt - SAMPLE_MS));
    this.sampledAt = now;
    for (const [tenant, calls] of this.tenants) {
      for (const response of calls.begunResponses()) this.leave(response);
      calls.sample(SAMPLE_MS);
      if (calls.isOver(now)) this.tenants.delete(tenant);
    }
    if (this.delays.length === SAMPLES_PER_ADJUSTMENT) this.adjust();
    if (this.tenants.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private adjust(): void {
    const isLate = this.delays.reduce((sum, one) => sum + one, 0) / this.delays.length > MAX_DELAY_MS;
    this.delays = [];
    const { initial, min, max, growth, shrinkage } = CONCURRENCY;
    const isLimiting = [...this.tenants.values()].some((calls) => this.isLarge(calls));
    this.vainAdjustments = isLate && this.limit === min ? this.vainAdjustments + 1 : 0;
    if (this.adjustmentsWithoutLimit > 0) this.adjustmentsWithoutLimit -= 1;
    else if (this.vainAdjustments > MAX_VAIN_ADJUSTMENTS) this.adjustmentsWithoutLimit = ADJUSTMENTS_WITHOUT_LIMIT;
    if (!isLimiting || this.adjustmentsWithoutLimit > 0) this.limit = initial;
    else if (isLate) this.limit = Math.max(min, this.limit * shrinkage);
    else this.limit = Math.min(max, this.limit * growth);
    for (const calls of this.tenants.values()) this.letGo(calls);
  }
}
