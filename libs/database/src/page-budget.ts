import { ByteBudget } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import { currentTenant } from '@batuta/logging';

/** Maximum stored bytes of one page of a list: JSON may need six bytes for one of them, and a reply must fit into 8 MB. */
export const PAGE_BYTES = 1024 * 1024;
/** Limits of the stored bytes of all pages in memory; a page needs several times as much memory until its reply is written. */
const IN_FLIGHT_LIMITS = { totalBytes: 16 * PAGE_BYTES, perTenantBytes: 4 * PAGE_BYTES };
/** Longest wait of a page for room in the budget; shorter than the time limit of the call. */
const MAX_WAIT_MS = 2_000;

/** Bounds the pages that a service has in memory, per tenant and in total. */
export class PageBudget {
  private readonly budget = new ByteBudget(IN_FLIGHT_LIMITS);

  /**
   * Runs `read` when `bytes` fit. When they do not fit in time, throws RATE_LIMITED for the limit of the tenant and UNAVAILABLE for the total. A
   * request from the previous release names no tenant; `reader` takes its place.
   */
  async read<Page>(reader: string, bytes: number, read: () => Promise<Page>): Promise<Page> {
    const tenant = currentTenant() ?? reader;
    const reserved = await this.budget.reserveWithin(tenant, bytes, MAX_WAIT_MS);
    if (!reserved) throw this.refusal(tenant, bytes);
    try {
      return await read();
    } finally {
      // Released after the reply is written, which happens in the turn of the event loop in which the handler returns.
      setImmediate(() => reserved.release());
    }
  }

  private refusal(tenant: string, bytes: number): ApiError {
    return this.budget.limitExceededBy(tenant, bytes) === 'tenant'
      ? new ApiError('RATE_LIMITED', 'The company reads many large pages at the same time; try again in a second.')
      : new ApiError('UNAVAILABLE', 'Many large pages are being read; try again in a second.');
  }
}
