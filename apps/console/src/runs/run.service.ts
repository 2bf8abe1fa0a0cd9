import { retryUntilAborted } from '@batuta/async';
import type { StartReply, StartRequest } from '@batuta/contracts';
import { DatabaseClock } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { v7 as uuid } from 'uuid';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';

const ATTEMPT_TIMEOUT_MS = 2_000;
const FINAL_ATTEMPT_TIMEOUT_MS = 1_000;
const RETRY_BACKOFF = { first: 100, longest: 100 };

/** The ids that are the same in every attempt, so that repeating a start does not start a second instance. */
type StartIdentity = Pick<StartRequest, 'instanceID' | 'deadline' | 'resent'>;
type SendStart = (identity: StartIdentity, options: { timeout: number }) => Promise<StartReply>;

/**
 * Makes manual starts. An attempt without a reply is repeated with the same ids, because execution may have accepted
 * it.
 */
@Injectable()
export class RunService {
  constructor(
    private readonly rpc: Rpc,
    private readonly clock: DatabaseClock,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /**
   * Throws the refusal of the start, or ROUTER_ERROR when no attempt was answered before the deadline, as for a start over
   * the API (interpretation 40). A queued start is answered 202.
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
    const attempt = () => {
      const leftMs = Math.max(identity.deadline - this.clock.now(), 1);
      return send(identity, { timeout: Math.min(leftMs, ATTEMPT_TIMEOUT_MS) });
    };
    const reply = await retryUntilAborted(attempt, {
      backoff: RETRY_BACKOFF,
      signal: AbortSignal.timeout(timeLimitMs),
      isTransient: isUnavailable,
      onRetry: () => {
        identity.resent = true;
      },
    });
    // After the deadline execution accepts no start: the final attempt only asks whether an earlier one was accepted.
    return reply ?? send({ ...identity, resent: true }, { timeout: FINAL_ATTEMPT_TIMEOUT_MS }).catch(asRouterError);
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'UNAVAILABLE';
}

function asRouterError(error: unknown): never {
  throw isUnavailable(error) ? new ApiError('ROUTER_ERROR') : error;
}
