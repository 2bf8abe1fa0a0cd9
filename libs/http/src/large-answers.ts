import { ByteBudget, ByteRate, type Reservation } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const MEGABYTE = 1024 * 1024;
/** Estimated memory that an answer with a page of large values takes: the message, its parsed values and the text that is sent. */
const ANSWER_PAGE_BYTES = 2 * MEGABYTE;
const IN_FLIGHT_LIMITS = { totalBytes: 16 * ANSWER_PAGE_BYTES, perTenantBytes: 2 * ANSWER_PAGE_BYTES };
const READ_RATE = { bytesPerSecond: MEGABYTE, burstBytes: 8 * MEGABYTE };
const MAX_MEMORY_WAIT_MS = 2_000;
/**
 * How long a client may take to read an answer; then its connection is closed, because the answer stays in memory until
 * it is read.
 */
const MAX_READ_MS = 30_000;

/**
 * Bounds the large answers that are in memory until their clients have read them, per tenant and in total, and their bytes a
 * second: a tenant that has read more than its share waits, or is refused.
 */
export class LargeAnswers {
  private readonly budget = new ByteBudget(IN_FLIGHT_LIMITS);
  private readonly rate = new ByteRate(READ_RATE);

  constructor(private readonly limits = { waitMs: MAX_MEMORY_WAIT_MS, readMs: MAX_READ_MS }) {}

  /**
   * Resolves when the answer may be made, and counts it until its client has read it. Throws RATE_LIMITED when the tenant's other
   * answers leave no room in time, and UNAVAILABLE when the answers of all tenants do.
   */
  async admit(tenant: string, response: ServerResponse): Promise<void> {
    const waitMs = this.rate.waitMs(tenant);
    if (waitMs > this.limits.waitMs) {
      response.setHeader('Retry-After', String(Math.ceil(waitMs / 1_000)));
      throw new ApiError('RATE_LIMITED', 'The company reads too many megabytes in a short time; try again later.');
    }
    if (waitMs > 0) await sleep(waitMs);
    const reserved = await this.budget.reserveWithin(tenant, ANSWER_PAGE_BYTES, this.limits.waitMs);
    if (!reserved) throw this.refusal(tenant, response);
    if (response.destroyed) return reserved.release();
    const timer = setTimeout(() => response.destroy(), this.limits.readMs).unref();
    response.once('close', () => {
      clearTimeout(timer);
      reserved.release();
      this.countSent(tenant, sizeOf(response));
    });
  }

  /**
   * Reserves bytes for a page of an event stream, whose size is given to `sent` later. Rejects when `signal` aborts before the
   * bytes fit.
   */
  async reserve(tenant: string, bytes: number, signal: AbortSignal): Promise<Reservation> {
    const waitMs = this.rate.waitMs(tenant);
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    return this.budget.reserve(tenant, bytes, signal);
  }

  /** Counts bytes that were sent: the next large answers of the tenant wait for them. */
  countSent(tenant: string, bytes: number): void {
    this.rate.add(tenant, bytes);
  }

  private refusal(tenant: string, response: ServerResponse): ApiError {
    const limit = this.budget.limitExceededBy(tenant, ANSWER_PAGE_BYTES);
    response.setHeader('Retry-After', '1');
    return limit === 'tenant'
      ? new ApiError('RATE_LIMITED', 'Other large answers of the company are not read yet; read them, or try again.')
      : new ApiError('UNAVAILABLE', 'Too many large answers are not read yet; try again in a second.');
  }
}

function sizeOf(response: ServerResponse): number {
  return Number(response.getHeader('content-length') ?? 0);
}
