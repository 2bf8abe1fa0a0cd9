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

/**
 * A request with an id. The service executes it at most once, and not after the deadline (epoch milliseconds of the
 * database's clock).
 */
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
   * Returns the reply; undefined when there was none or NATS is not connected. The last attempt is made after the
   * deadline and only learns whether an earlier attempt was executed. Throws the refusal of the service. Large requests
   * of one `tenant` share its part of the service's memory.
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
