import { ByteBudget, ByteRate, costOfJson, jsonWeight, type ByteRateLimits, type Reservation } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The tenant of a request: its company, or another key when the sender does not know the company. The previous release sends it only with large
 * requests.
 */
export const TENANT_HEADER = 'X-Tenant';
/** Names the share of the memory that a large request uses, if that is not the share of the request's tenant. */
export const MEMORY_SHARE_HEADER = 'X-Memory-Share';
/** Minimum size of a request whose memory is counted; other limits bound the number of smaller requests. */
export const LARGE_REQUEST_BYTES = 16 * 1_024;

export interface RequestLimits {
  /** Estimated memory of the parsed requests that a service works on, in total and of one tenant. */
  parsedBytes: number;
  parsedBytesPerTenant: number;
  /** Bytes of unparsed requests that wait. */
  waitingBytes: number;
  waitingBytesPerTenant: number;
  /** The longest wait of a request for its turn in the rate and for room, both together. */
  waitMilliseconds: number;
  /** The rate of one tenant, in bytes of plain text; lists of small objects count as several times their bytes. */
  rate: ByteRateLimits;
}

/** Estimated copies in memory of a request whose values stay text: the message, its text, the values as stored and as sent. */
const TEXT_COPIES = 5;
/** The key of the memory share for requests that services send on no tenant's behalf. */
const TENANT_OF_SERVICES = '';

const MEGABYTE = 1_048_576;
const DEFAULT_REQUEST_LIMITS: RequestLimits = {
  parsedBytes: 64 * MEGABYTE,
  parsedBytesPerTenant: 32 * MEGABYTE,
  waitingBytes: 32 * MEGABYTE,
  waitingBytesPerTenant: 8 * MEGABYTE,
  // Shorter than the 1.5 seconds after which callers repeat a start without a reply.
  waitMilliseconds: 1_000,
  rate: { bytesPerSecond: 2 * MEGABYTE, burstBytes: 32 * MEGABYTE },
};

/**
 * Bounds the memory of the large requests of one service, per tenant and in total, and how much of them a tenant sends
 * in a second. A request that does not fit waits, and is refused after a time limit.
 */
export class LargeRequests {
  private readonly parsed: ByteBudget;
  private readonly waiting: ByteBudget;
  private readonly rate: ByteRate;

  constructor(private readonly limits: RequestLimits = DEFAULT_REQUEST_LIMITS) {
    const { parsedBytes, parsedBytesPerTenant, waitingBytes, waitingBytesPerTenant, rate } = limits;
    this.rate = new ByteRate(rate);
    this.parsed = new ByteBudget({ totalBytes: parsedBytes, perTenantBytes: parsedBytesPerTenant });
    this.waiting = new ByteBudget({ totalBytes: waitingBytes, perTenantBytes: waitingBytesPerTenant });
  }

  /**
   * Resolves when the request may be parsed; release the reservation after the reply. `raw` = the request's large values stay text.
   * Throws UNAVAILABLE when there is no room in time, or the tenant sends too much.
   */
  async admit(tenant: string | undefined, json: Uint8Array, { raw = false } = {}): Promise<Reservation> {
    const weight = raw ? TEXT_COPIES * json.length : jsonWeight(json);
    const cost = raw ? json.length : costOfJson(json.length, weight);
    const waitMs = tenant === undefined ? 0 : this.rate.take(tenant, cost, this.limits.waitMilliseconds);
    if (waitMs === undefined) throw noMemoryError();
    const share = tenant ?? TENANT_OF_SERVICES;
    const admitted = waitMs === 0 && this.parsed.tryReserve(share, weight);
    return admitted || this.wait(share, { weight, bytes: json.length, waitMs });
  }

  private async wait(
    share: string,
    { weight, bytes, waitMs }: { weight: number; bytes: number; waitMs: number },
  ): Promise<Reservation> {
    const waiting = this.waiting.tryReserve(share, bytes);
    if (!waiting) throw noMemoryError();
    try {
      if (waitMs > 0) await sleep(waitMs);
      const admitted = await this.parsed.reserveWithin(share, weight, this.limits.waitMilliseconds - waitMs);
      if (!admitted) throw noMemoryError();
      return admitted;
    } finally {
      waiting.release();
    }
  }
}

function noMemoryError(): ApiError {
  return new ApiError('UNAVAILABLE', 'Too many large requests are in progress for the moment; try again.');
}

export interface LargeRequest {
  /** The size of the message. */
  bytes: number;
  /**
   * The key of the memory share that the request uses: its tenant, unless its caller named another key; undefined for a request on no tenant's
   * behalf.
   */
  tenant: string | undefined;
}

const currentRequest = new AsyncLocalStorage<LargeRequest>();

/** The large request that is being handled, if any. */
export function currentLargeRequest(): LargeRequest | undefined {
  return currentRequest.getStore();
}

export function withLargeRequest<T>(request: LargeRequest, work: () => T): T {
  return currentRequest.run(request, work);
}
