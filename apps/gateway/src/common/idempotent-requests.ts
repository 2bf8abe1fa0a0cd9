import { retryUntilAborted } from '@batuta/async';
import type { RpcSubject } from '@batuta/contracts';
import { DatabaseClock } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';

/**
 * Time limit of one attempt: a replica that dies with a request sends no reply, so another replica must be asked well
 * before the deadline.
 */
const ATTEMPT_TIMEOUT_MS = 1_500;
const LAST_ATTEMPT_TIMEOUT_MS = 1_000;
const RETRY_BACKOFF = { first: 20, longest: 250 };

/** A request with an id: the service carries it out at most once, and not after the deadline (epoch milliseconds of the database's clock). */
export interface IdempotentRequest {
  deadline: number;
  /** Whether an earlier attempt got no reply. */
  resent?: boolean;
}

/** Sends requests to services and repeats them when no reply comes, because a replica may die at any moment. */
@Injectable()
export class IdempotentRequests {
  constructor(
    private readonly rpc: Rpc,
    private readonly clock: DatabaseClock,
  ) {}

  /** A deadline on the database's clock, with which the receiver compares it; the clocks of the machines may differ. */
  deadlineIn(milliseconds: number): number {
    return this.clock.now() + milliseconds;
  }

  /**
   * The reply, or undefined when none came or NATS is not connected. The last attempt is made after the deadline: it only
   * learns whether an earlier attempt was carried out. Throws what the service refuses the request with. Large requests of one
   * `tenant` share its part of the memory of the service.
   */
  async send<Request extends IdempotentRequest, Reply>(
    subject: RpcSubject<Request, Reply>,
    request: Request,
    tenant?: string,
  ): Promise<Reply | undefined> {
    if (!this.rpc.connected) return undefined;
    const lastAttempt = new AbortController();
    const attempt = () => {
      const left = request.deadline - this.clock.now();
      if (left <= 0) lastAttempt.abort();
      const timeout = left > 0 ? Math.min(left, ATTEMPT_TIMEOUT_MS) : LAST_ATTEMPT_TIMEOUT_MS;
      return this.rpc.call(subject, request, { timeout, tenant });
    };
    return retryUntilAborted(attempt, {
      backoff: RETRY_BACKOFF,
      signal: lastAttempt.signal,
      isTransient: (error) => error instanceof ApiError && error.code === 'UNAVAILABLE',
      onRetry: () => {
        request.resent = true;
      },
    });
  }
}
