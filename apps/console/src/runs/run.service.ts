import { retryUntilAborted } from '@batuta/async';
import type { StartReply, StartRequest } from '@batuta/contracts';
import { DatabaseClock } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc, wasNotReceived } from '@batuta/messaging';
import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { v7 as uuid } from 'uuid';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';

/** Longest wait for a reply to an attempt that is made before the deadline of the start. */
const ATTEMPT_TIMEOUT_MS = 2_000;
/** Longest wait for a reply to an attempt that is made after the deadline, which only asks whether an earlier one was accepted. */
const LATE_ATTEMPT_TIMEOUT_MS = 1_000;
const UNKNOWN_OUTCOME_MESSAGE = 'Nobody could say in time whether it was started; look before you repeat it.';
/** Pause between attempts, in milliseconds. */
const RETRY_BACKOFF = { first: 100, longest: 100 };

/**
 * The id and the deadline, which are the same in every attempt, so that repeating a start does not start a second instance; `resent` tells
 * execution that an attempt is not the first.
 */
type StartIdentity = Pick<StartRequest, 'instanceID' | 'deadline' | 'resent'>;
type SendStart = (identity: StartIdentity, options: { timeout: number }) => Promise<StartReply>;

/**
 * Sends manual starts to execution. An attempt without a reply is repeated with the same ids, because execution may
 * have accepted it.
 */
@Injectable()
export class RunService {
  constructor(
    private readonly rpc: Rpc,
    private readonly clock: DatabaseClock,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /**
   * `send` makes one attempt. Throws the refusal of execution; ROUTER_ERROR when the start is certainly not accepted; UNAVAILABLE when that
   * is unknown (interpretation 40, as for a start over the API). Sets the status of the response to 202 for a queued start.
   */
  async start(response: Response, send: SendStart): Promise<StartReply> {
    if (!this.rpc.connected) throw new ApiError('ROUTER_ERROR');
    const { instanceID, status } = await this.sendUntilAnswered(send);
    if (status === 'queued') response.status(202);
    return { instanceID, status };
  }

  private async sendUntilAnswered(send: SendStart): Promise<StartReply> {
    const timeLimitMs = this.config.START_TIMEOUT_MS;
    const identity: StartIdentity = { instanceID: uuid(), deadline: this.clock.now() + timeLimitMs };
    let isReceived = false;
    const attempt = async () => {
      const leftMs = identity.deadline - this.clock.now();
      if (leftMs <= 0 && !isReceived) throw new ApiError('ROUTER_ERROR');
      const timeout = leftMs > 0 ? Math.min(leftMs, ATTEMPT_TIMEOUT_MS) : LATE_ATTEMPT_TIMEOUT_MS;
      try {
        return await send(identity, { timeout });
      } catch (error) {
        isReceived ||= !wasNotReceived(error);
        throw error;
      }
    };
    const reply = await retryUntilAborted(attempt, {
      backoff: RETRY_BACKOFF,
      // After the deadline execution accepts no start: further attempts only ask whether an earlier attempt was
      // accepted.
      signal: AbortSignal.timeout(2 * timeLimitMs),
      isTransient: isUnavailable,
      onRetry: () => {
        identity.resent = true;
      },
    });
    if (!reply) throw new ApiError('UNAVAILABLE', UNKNOWN_OUTCOME_MESSAGE);
    return reply;
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'UNAVAILABLE';
}
