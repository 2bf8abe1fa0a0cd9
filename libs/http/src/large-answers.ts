import { ByteBudget, ByteRate, type ExceededLimit, type Reservation } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { routePattern } from './access-log';
import { ExpectedSizes } from './expected-sizes';
import { AnswersOfUnknownSize } from './answers-of-unknown-size';

const MEGABYTE = 1024 * 1024;
/** An answer up to this size is not counted: Node and the operating system buffer about that much for each connection anyway. */
export const MAX_SMALL_ANSWER_BYTES = 64 * 1024;
/** Copies of an answer that are in memory together: the text, and the bytes that are sent. */
const COPIES = 2;
const IN_FLIGHT_LIMITS = { totalBytes: 32 * MEGABYTE, perTenantBytes: 4 * MEGABYTE };
/** The rate at which one tenant may read large answers. */
const READ_RATE = { bytesPerSecond: MEGABYTE, burstBytes: 8 * MEGABYTE };
/** How long an answer waits for room in memory, or for its turn in the tenant's rate of bytes. */
const MAX_MEMORY_WAIT_MS = 2_000;
/** Longest wait of an answer of unknown size for other answers of its route; then it is made all the same. */
const MAX_UNKNOWN_SIZE_WAIT_MS = 1_000;
/** Interval at which such an answer checks whether it may be made. */
const UNKNOWN_POLL_INTERVAL_MS = 50;
/**
 * How long a client may take to read an answer; then its connection is closed, because the answer stays in memory until
 * it is read.
 */
const MAX_READ_MS = 30_000;

/**
 * Bounds the large answers that are in memory until their clients have read them, per tenant and in total, and the bytes that a tenant reads
 * per second: beyond its share a tenant waits, or is refused. The size of an answer is known only once the answer is made, and making it only to
 * refuse it would be waste. Therefore a route that has lately given a tenant a large answer waits for room before it makes the next one, and a
 * route that has not answered the tenant lately makes only a few answers at a time.
 */
export class LargeAnswers {
  private readonly budget = new ByteBudget(IN_FLIGHT_LIMITS);
  private readonly rate = new ByteRate(READ_RATE);
  private readonly expected = new ExpectedSizes();
  private readonly ofUnknownSize = new AnswersOfUnknownSize();
  private readonly reservations = new WeakMap<ServerResponse, Reservation>();

  constructor(
    private readonly limits = {
      waitMs: MAX_MEMORY_WAIT_MS,
      unknownSizeWaitMs: MAX_UNKNOWN_SIZE_WAIT_MS,
      readMs: MAX_READ_MS,
    },
  ) {}

  /**
   * Call it before the answer to a request is made. Returns undefined when the answer may be made at once, and otherwise the promise of
   * `waitForRoom`, so that most requests wait for no promise.
   */
  roomFor(tenant: string, response: ServerResponse): Promise<void> | undefined {
    return this.mayBeMade(tenant, response) ? undefined : this.waitForRoom(tenant, response);
  }

  /**
   * Whether the answer to a request may be made at once; otherwise it needs `waitForRoom` first. A request that changes something never waits when
   * the size of its answer is unknown, because such answers are small.
   */
  mayBeMade(tenant: string, response: ServerResponse): boolean {
    const route = routeOf(response);
    const bytes = this.expected.bytesOf(tenant, route);
    if (bytes !== undefined) return bytes === 0;
    return !isReadRequest(response.req) || this.ofUnknownSize.tryEnter(tenant, route, response);
  }

  /**
   * Resolves when there is room for an answer as large as those that the route has lately given the tenant, or when their size is still
   * unknown after a time limit. Throws RATE_LIMITED when the tenant's other answers leave no room in time, the tenant reads too fast, or the
   * client has disconnected, and UNAVAILABLE when the answers of all tenants leave no room.
   */
  async waitForRoom(tenant: string, response: ServerResponse): Promise<void> {
    const route = routeOf(response);
    const isUnknown = () => this.expected.bytesOf(tenant, route) === undefined;
    const until = performance.now() + this.limits.unknownSizeWaitMs;
    while (isUnknown() && !this.ofUnknownSize.tryEnter(tenant, route, response)) {
      // The client has disconnected, so nobody would read the answer.
      if (response.destroyed) throw tooManyUnread('tenant', response);
      if (performance.now() >= until) return;
      await sleep(UNKNOWN_POLL_INTERVAL_MS);
    }
    const expected = this.expected.bytesOf(tenant, route) ?? 0;
    if (expected > 0) await this.reserve(tenant, response, COPIES * expected);
  }

  /**
   * Counts an answer of `bytes`, unless it is small, from now until its client has read it; after MAX_READ_MS its connection is cut.
   * `sentBytes` = the size of the whole answer, if only `bytes` of it are in memory at a time. Throws before anything is sent: RATE_LIMITED when
   * the tenant has read too much or has left too much unread, and UNAVAILABLE when all tenants together have left too much unread.
   */
  admit(tenant: string, response: ServerResponse, bytes: number, sentBytes = bytes): void {
    const isSmall = bytes <= MAX_SMALL_ANSWER_BYTES;
    this.expected.note(tenant, routeOf(response), isSmall ? 0 : bytes);
    if (!isSmall) {
      const waitMs = this.rate.waitMs(tenant);
      if (waitMs > this.limits.waitMs) throw tooFast(waitMs, response);
    }
    const exceeded = this.tryReserve(tenant, response, bytes);
    if (exceeded) throw tooManyUnread(exceeded, response);
    if (!isSmall) this.rate.add(tenant, sentBytes);
  }

  /**
   * Counts an answer as `admit` does, but without the limit of bytes per second. Returns the limit that the answer exceeds, if any; such an
   * answer is not counted and must not be sent.
   */
  tryReserve(tenant: string, response: ServerResponse, bytes: number): ExceededLimit | undefined {
    const reserved = this.reservations.get(response);
    if (bytes <= MAX_SMALL_ANSWER_BYTES) {
      reserved?.release();
      return undefined;
    }
    const holding = reserved ?? this.keepUntilClose(response, this.budget.hold(tenant));
    const exceeded = holding.tryResize(COPIES * bytes);
    if (exceeded) {
      holding.release();
      this.reservations.delete(response);
      return exceeded;
    }
    const timer = setTimeout(() => response.destroy(), this.limits.readMs).unref();
    response.once('close', () => clearTimeout(timer));
    return undefined;
  }

  /**
   * Reserves bytes for a page of an event stream; `countSent` counts the bytes that are sent of the page. Rejects when `signal` aborts before
   * the bytes fit.
   */
  async reservePage(tenant: string, bytes: number, signal: AbortSignal): Promise<Reservation> {
    const waitMs = this.rate.waitMs(tenant);
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    return this.budget.reserve(tenant, bytes, signal);
  }

  /** Counts sent bytes in the tenant's rate; the tenant's next large answers wait until the rate allows them. */
  countSent(tenant: string, bytes: number): void {
    this.rate.add(tenant, bytes);
  }

  private async reserve(tenant: string, response: ServerResponse, bytes: number): Promise<void> {
    const waitMs = this.rate.waitMs(tenant);
    if (waitMs > this.limits.waitMs) throw tooFast(waitMs, response);
    if (waitMs > 0) await sleep(waitMs);
    const reserved = await this.budget.reserveWithin(tenant, bytes, this.limits.waitMs);
    if (!reserved) throw tooManyUnread(this.budget.limitExceededBy(tenant, bytes), response);
    this.keepUntilClose(response, reserved);
  }

  private keepUntilClose(response: ServerResponse, reserved: Reservation): Reservation {
    this.reservations.set(response, reserved);
    if (response.destroyed) reserved.release();
    else response.once('close', () => reserved.release());
    return reserved;
  }
}

/** The pattern of the route instead of the path, because a path has ids, and the answers of one route to a tenant have similar sizes. */
function routeOf({ req }: ServerResponse): string {
  return `${req.method ?? ''} ${routePattern({ route: Reflect.get(req, 'route') })}`;
}

export function isReadRequest({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

function tooFast(waitMs: number, response: ServerResponse): ApiError {
  response.setHeader('Retry-After', String(Math.ceil(waitMs / 1_000)));
  return new ApiError('RATE_LIMITED', 'The company reads too many megabytes in a short time; try again later.');
}

function tooManyUnread(exceeded: ExceededLimit | undefined, response: ServerResponse): ApiError {
  response.setHeader('Retry-After', '1');
  return exceeded === 'tenant'
    ? new ApiError('RATE_LIMITED', 'Other large answers of the company are not read yet; read them, or try again.')
    : new ApiError('UNAVAILABLE', 'Too many large answers are not read yet; try again in a second.');
}
