import { ByteBudget, type Reservation } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import { MAX_BODY_BYTES } from '@batuta/http';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { maxBytesOf, hasBody, readJsonBody, readLoginBody } from './json-body';

/** Memory of parsed JSON per byte of its text: up to twenty bytes, for example for `[{},{}]`. */
const PARSED_BYTES_PER_BYTE = 20;
const MAX_PARSED_BODY_BYTES = PARSED_BYTES_PER_BYTE * MAX_BODY_BYTES;
/**
 * Memory limits of parsed bodies, for a pod with 256 MB: two bodies of the largest size at a time per company, and four
 * in total.
 */
const PARSED_BODY_LIMITS = { perTenantBytes: 2 * MAX_PARSED_BODY_BYTES, totalBytes: 4 * MAX_PARSED_BODY_BYTES };
/** Longest wait for memory, before the body is read. */
const MAX_MEMORY_WAIT_MS = 5_000;

/** Reads the bodies of authenticated callers. Their memory is bounded per company and in total. */
@Injectable()
export class BodyReader {
  readonly budget = new ByteBudget(PARSED_BODY_LIMITS);

  /**
   * Sets `request.body` for `@Body()`, and holds the memory of the body until the response closes. Throws RATE_LIMITED or UNAVAILABLE when no
   * memory is free in time, and what `readJsonBody` throws.
   */
  async read(request: Request, response: Response, tenant: string): Promise<void> {
    if (!hasBody(request)) return;
    const reservation = await this.reserve(request, tenant);
    if (request.destroyed) reservation.release();
    else response.once('close', () => reservation.release());
    request.body = await readJsonBody(request);
  }

  /**
   * Reads the body of a login, whose sender is unknown. A login body needs no more memory than its connection, so the
   * budget does not count it.
   */
  async readLogin(request: Request): Promise<void> {
    if (hasBody(request)) request.body = await readLoginBody(request);
  }

  private async reserve(request: Request, tenant: string): Promise<Reservation> {
    const bytes = PARSED_BYTES_PER_BYTE * maxBytesOf(request);
    const gone = new AbortController();
    const leave = () => gone.abort();
    request.once('close', leave);
    const reservation = await this.budget.reserveWithin(tenant, bytes, MAX_MEMORY_WAIT_MS, gone.signal);
    request.off('close', leave);
    if (reservation) return reservation;
    throw this.budget.limitExceededBy(tenant, bytes) === 'total'
      ? new ApiError('UNAVAILABLE', 'body: too many large bodies at once; try again.')
      : new ApiError('RATE_LIMITED', 'body: too many large bodies of this company at once; send fewer at a time.');
  }
}
