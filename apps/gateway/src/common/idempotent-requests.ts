import { retryUntilAborted } from '@batuta/async';
import type { RpcSubject } from '@batuta/contracts';
import { DatabaseClock } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc, wasNotReceived } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';

/**
 * Time limit of one attempt: a replica that dies with a request sends no reply, so another replica must be asked well
 * before the deadline.
 */
const ATTEMPT_TIMEOUT_MS = 1_500;
/** Time limit of an attempt after the deadline, which only asks whether an earlier attempt was executed. */
const LATE_ATTEMPT_TIMEOUT_MS = 1_000;
const UNKNOWN_OUTCOME_MESSAGE =
  'Nobody could say in time whether this was carried out; repeat it with the same Idempotency-Key, or look before you repeat it.';
/** Milliseconds. */
const RETRY_BACKOFF = { first: 20, longest: 250 };

/**
 * A request with an id (`instanceID` of a start, `id` of a schedule), by which the service executes it at most once, and
 * not after the deadline (epoch milliseconds of the database's clock).
 */
export interface IdempotentRequest {
  deadline: number;
  /** Whether the request was sent before and may have been executed then, because no reply came or the reply was UNAVAILABLE. */
  resent?: boolean;
}

/** Sends requests to services and repeats them after UNAVAILABLE or without a reply, because a replica may die at any moment. */
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
   * Returns the reply; undefined when no service has received the request by its deadline, and at once while NATS is away. After the deadline,
   * for as long again, attempts only learn whether an earlier one was executed. Throws the refusal of the service, or UNAVAILABLE when nobody
   * could say whether the request was executed.
   */
  async send<Request extends IdempotentRequest, Reply>(
    subject: RpcSubject<Request, Reply>,
    request: Request,
  ): Promise<Reply | undefined> {
    if (!this.rpc.connected) return undefined;
    const timeLimitMs = request.deadline - this.clock.now();
    const lastAttempt = new AbortController();
    let isReceived = false;
    const attempt = async () => {
      const left = request.deadline - this.clock.now();
      if (left <= 0 && (!isReceived || left <= -timeLimitMs)) lastAttempt.abort();
      const timeout = left > 0 ? Math.min(left, ATTEMPT_TIMEOUT_MS) : LATE_ATTEMPT_TIMEOUT_MS;
      try {
        return await this.rpc.call(subject, request, { timeout });
      } catch (error) {
        isReceived ||= !wasNotReceived(error);
        throw error;
      }
    };
    const reply = await retryUntilAborted(attempt, {
      backoff: RETRY_BACKOFF,
      signal: lastAttempt.signal,
      isTransient: (error) => error instanceof ApiError && error.code === 'UNAVAILABLE',
      onRetry: () => {
        request.resent = true;
      },
    });
    if (!reply && isReceived) throw new ApiError('UNAVAILABLE', UNKNOWN_OUTCOME_MESSAGE);
    return reply;
  }
}
