import { ByteBudget, jsonWeight, type Reservation } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import { AsyncLocalStorage } from 'node:async_hooks';

/** The tenant of a large request, such as an account or an environment; requests of one tenant share its part of the memory. */
export const TENANT_HEADER = 'X-Tenant';
/** Smaller requests are not counted; other limits bound their number. */
export const LARGE_REQUEST_BYTES = 16 * 1_024;

export interface RequestLimits {
  /** Estimated memory of the parsed requests that a service works on, in total and of one tenant. */
  parsedBytes: number;
  parsedBytesPerTenant: number;
  /** Bytes of unparsed requests that wait. */
  waitingBytes: number;
  waitingBytesPerTenant: number;
  waitMilliseconds: number;
}

const MEGABYTE = 1_048_576;
const DEFAULT_LIMITS: RequestLimits = {
  parsedBytes: 64 * MEGABYTE,
  parsedBytesPerTenant: 32 * MEGABYTE,
  waitingBytes: 32 * MEGABYTE,
  waitingBytesPerTenant: 8 * MEGABYTE,
  // Shorter than the 1.5 seconds after which callers repeat a start without a reply.
  waitMilliseconds: 1_000,
};

/** Bounds the memory of the large requests of one service, per tenant and in total. What does not fit waits, then is refused. */
export class LargeRequests {
  private readonly parsed: ByteBudget;
  private readonly waiting: ByteBudget;

  constructor(private readonly limits: RequestLimits = DEFAULT_LIMITS) {
    const { parsedBytes, parsedBytesPerTenant, waitingBytes, waitingBytesPerTenant } = limits;
    this.parsed = new ByteBudget({ totalBytes: parsedBytes, perTenantBytes: parsedBytesPerTenant });
    this.waiting = new ByteBudget({ totalBytes: waitingBytes, perTenantBytes: waitingBytesPerTenant });
  }

  /** Call it before the request is parsed, and release the reservation after the reply. Throws UNAVAILABLE. */
  async admit(tenant: string, json: Uint8Array): Promise<Reservation> {
    const weight = jsonWeight(json);
    return this.parsed.tryReserve(tenant, weight) ?? this.wait(tenant, weight, json.length);
  }

  private async wait(tenant: string, weight: number, bytes: number): Promise<Reservation> {
    const waiting = this.waiting.tryReserve(tenant, bytes);
    if (!waiting) throw noMemory();
    try {
      return await this.parsed.reserve(tenant, weight, AbortSignal.timeout(this.limits.waitMilliseconds));
    } catch {
      throw noMemory();
    } finally {
      waiting.release();
    }
  }
}

function noMemory(): ApiError {
  return new ApiError('UNAVAILABLE', 'Too many large requests are in progress for the moment; try again.');
}

const currentRequest = new AsyncLocalStorage<{ bytes: number }>();

/** Size of the request that is being handled; 0 for a small one. */
export function largeRequestBytes(): number {
  return currentRequest.getStore()?.bytes ?? 0;
}

export function withLargeRequest<T>(bytes: number, work: () => T): T {
  return currentRequest.run({ bytes }, work);
}
