import type { StartReply, StartRequest } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import type { ConsoleConfig } from '../config';
import { CONFIG } from '../parts';

const ATTEMPT_MILLISECONDS = 2_000;
const LAST_WORD_MILLISECONDS = 1_000;
const PAUSE_MILLISECONDS = 100;

/** What makes a request a start of its own, however often it is asked for. */
type Minted = Pick<StartRequest, 'instanceID' | 'deadline' | 'resent'>;
type Ask = (minted: Minted, patience: { timeout: number }) => Promise<StartReply>;

/** Starts by hand: asked for again while nobody answers, since silence may mean that it was done. */
@Injectable()
export class Starts {
  constructor(
    private readonly rpc: Rpc,
    @Inject(CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /**
   * Throws what the start was refused with, or ROUTER_ERROR when nobody took it in time, as for a start over the API
   * (interpretation 40). One that is queued is answered 202.
   */
  async start(response: Response, ask: Ask): Promise<StartReply> {
    if (!this.rpc.connected) throw new ApiError('ROUTER_ERROR');
    const { instanceID, status } = await this.untilAnswered(ask);
    if (status === 'queued') response.status(202);
    return { instanceID, status };
  }

  /** Past the deadline nothing is started any more: the last question only learns whether an earlier one was taken. */
  private async untilAnswered(ask: Ask): Promise<StartReply> {
    const minted: Minted = { instanceID: uuid(), deadline: Date.now() + this.config.START_TIMEOUT_MS };
    for (;;) {
      const left = minted.deadline - Date.now();
      const timeout = left > 0 ? Math.min(left, ATTEMPT_MILLISECONDS) : LAST_WORD_MILLISECONDS;
      const reply = await ask(minted, { timeout }).catch(asSilence);
      if (reply) return reply;
      if (left <= 0) throw new ApiError('ROUTER_ERROR');
      await sleep(PAUSE_MILLISECONDS);
      minted.resent = true;
    }
  }
}

function asSilence(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 'UNAVAILABLE') return undefined;
  throw error;
}
