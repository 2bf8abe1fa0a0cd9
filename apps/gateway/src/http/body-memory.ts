import { ByteBudget, ByteRate, costOfJson, jsonWeight, type Reservation } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import { MAX_BODY_BYTES, readRawBody } from '@batuta/http';
import { JsonThread, THREAD_WEIGHT } from '@batuta/json';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { MAX_SMALL_BODY_BYTES, parseJsonBody, readLargeBody, requireJsonContentType } from './json-body';

const MEGABYTE = 1_048_576;
/** How long a request waits for memory for its body or the parsed values before it is refused. */
const MAX_WAIT_MS = 2_000;

/**
 * How many copies of a body are in memory when its values stay text: the values, and the request that contains them.
 */
const TEXT_COPIES = 2;

/**
 * Bounds the memory of large bodies, per tenant and in total: their bytes until they are released, and their parsed values until the answer. A
 * body that does not fit waits and is then refused: with RATE_LIMITED if the tenant's share is used up, with UNAVAILABLE if the total is. It also
 * bounds the bytes of large bodies that one tenant sends per second, because all tenants share the processor that parses them.
 */
@Injectable()
export class BodyMemory {
  readonly read = new ByteBudget({ totalBytes: 48 * MEGABYTE, perTenantBytes: 8 * MEGABYTE });
  readonly parsed = new ByteBudget({ totalBytes: 64 * MEGABYTE, perTenantBytes: 32 * MEGABYTE });
  private readonly rate = new ByteRate({ bytesPerSecond: MEGABYTE, burstBytes: 32 * MEGABYTE });

  constructor(private readonly thread: JsonThread) {}

  /**
   * The parsed body of a `/v1` request, whose sender has been authorized. A body that takes long to parse has a RawJson
   * in place of each long list and object. Throws what `requireJsonContentType`, `readRaw` and `parseJsonBody` throw.
   */
  async readJson(request: Request, response: Response, tenant: string): Promise<Record<string, unknown>> {
    requireJsonContentType(request.headers);
    const { bytes, reservation } = await this.readRaw(request, response, tenant);
    try {
      return bytes.length > MAX_SMALL_BODY_BYTES
        ? await this.parseLarge(bytes, response, tenant)
        : parseJsonBody(bytes);
    } finally {
      reservation.release();
    }
  }

  private async parseLarge(bytes: Buffer, response: Response, tenant: string): Promise<Record<string, unknown>> {
    const weight = jsonWeight(bytes);
    this.requireWithinRate(tenant, response);
    this.rate.add(tenant, costOfJson(bytes.length, weight) - bytes.length);
    const parsed = await reserveMemory(this.parsed, tenant, weight, response);
    // The response of a client that has disconnected meanwhile emits no further `close`.
    if (response.closed) parsed.release();
    else response.once('close', () => parsed.release());
    if (weight < THREAD_WEIGHT) return parseJsonBody(bytes);
    const body = await readLargeBody(bytes, this.thread);
    parsed.resize(TEXT_COPIES * bytes.length);
    return body;
  }

  /**
   * The bytes of a body; release the reservation when they are no longer needed. Throws RATE_LIMITED or UNAVAILABLE beyond the limits of this
   * class, and what `readRawBody` throws.
   */
  async readRaw(
    request: Request,
    response: Response,
    tenant: string,
  ): Promise<{ bytes: Buffer; reservation: Reservation }> {
    const expected = expectedBytes(request);
    // A small body is not counted: Node buffers as many bytes of each connection anyway.
    const isSmall = expected <= MAX_SMALL_BODY_BYTES;
    if (!isSmall) this.requireWithinRate(tenant, response);
    const reservation = isSmall ? this.read.hold(tenant) : await reserveMemory(this.read, tenant, expected, response);
    try {
      const bytes = await readRawBody(request);
      reservation.resize(bytes.length);
      if (bytes.length > MAX_SMALL_BODY_BYTES) this.rate.add(tenant, bytes.length);
      return { bytes, reservation };
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  /** Throws RATE_LIMITED while the tenant's earlier large bodies exceed its bytes per second. */
  private requireWithinRate(tenant: string, response: Response): void {
    const waitMs = this.rate.waitMs(tenant);
    if (waitMs === 0) return;
    response.setHeader('Retry-After', String(Math.ceil(waitMs / 1_000)));
    throw new ApiError('RATE_LIMITED', 'body: too many megabytes in a short time; try again later.');
  }
}

/**
 * The bytes to reserve: a body of unknown length counts as the largest allowed one. A declared length above that is
 * refused when the body is read, without keeping it.
 */
function expectedBytes({ headers }: Request): number {
  if (headers['transfer-encoding'] !== undefined) return MAX_BODY_BYTES;
  const length = Number(headers['content-length'] ?? 0);
  return length > MAX_BODY_BYTES ? 0 : length;
}

async function reserveMemory(
  budget: ByteBudget,
  tenant: string,
  bytes: number,
  response: Response,
): Promise<Reservation> {
  const reservation = await budget.reserveWithin(tenant, bytes, MAX_WAIT_MS);
  if (reservation) return reservation;
  response.setHeader('Retry-After', '1');
  throw budget.limitExceededBy(tenant, bytes) === 'tenant'
    ? new ApiError('RATE_LIMITED', 'body: too many large bodies of this company are in progress; try again.')
    : new ApiError('UNAVAILABLE', 'body: too many large bodies are in progress for the moment; try again.');
}
