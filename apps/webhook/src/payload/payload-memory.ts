import { ByteBudget, jsonWeight } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import { currentTenant } from '@batuta/observability';
import { Injectable } from '@nestjs/common';

const MEGABYTE = 1_048_576;
/** Smallest payload whose memory is counted. */
const LARGE_PAYLOAD_BYTES = 16 * 1_024;
/** How long a payload waits for memory; shorter than the 1.5 seconds after which the gateway repeats a call. */
const MAX_WAIT_MS = 1_000;

/**
 * Bounds the memory of parsed large payloads, per company and in total. A parsed payload may take thirty times the
 * memory of its text.
 */
@Injectable()
export class PayloadMemory {
  readonly budget = new ByteBudget({ totalBytes: 64 * MEGABYTE, perTenantBytes: 32 * MEGABYTE });

  /**
   * Runs `work`, which parses `json`, once there is memory for the parsed payload, and releases the memory when `work` ends. Throws UNAVAILABLE
   * when the wait takes longer than MAX_WAIT_MS. The process stands in for the company in a request from the previous release.
   */
  async run<Result>(processID: string, json: Buffer, work: () => Promise<Result>): Promise<Result> {
    if (json.length < LARGE_PAYLOAD_BYTES) return work();
    const reservation = await this.budget.reserveWithin(currentTenant() ?? processID, jsonWeight(json), MAX_WAIT_MS);
    if (!reservation) {
      throw new ApiError('UNAVAILABLE', 'body: too many large payloads are in progress for the moment; try again.');
    }
    try {
      return await work();
    } finally {
      reservation.release();
    }
  }
}
