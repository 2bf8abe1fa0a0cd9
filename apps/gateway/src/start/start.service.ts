import { execution, type DryRunReply, type StartReply, type StartRequest } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import type { Rpc } from '@batuta/messaging';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import type { Clock } from '../clock';
import type { GatewayMetrics } from '../http/gateway-metrics';

/** An execution replica that dies with the request leaves silence: ask the next one well before the deadline. */
const ATTEMPT_MILLISECONDS = 1_500;
const LAST_WORD_MILLISECONDS = 1_000;
const FIRST_PAUSE = 20;
const LONGEST_PAUSE = 250;

/** A start as it was asked for; the id and the deadline come here. */
export type StartOrder = Omit<StartRequest, 'instanceID' | 'deadline' | 'resent'>;

export class StartService {
  constructor(
    private readonly rpc: Rpc,
    private readonly clock: Clock,
    private readonly metrics: GatewayMetrics,
    /** Milliseconds. */
    private readonly timeout: number,
  ) {}

  /** Throws what execution refused with, or ROUTER_ERROR when it cannot be reached in time (reading 40). */
  async start(order: StartOrder): Promise<StartReply> {
    try {
      const reply = await this.ask({ ...order, instanceID: uuid(), deadline: this.clock.now() + this.timeout });
      this.metrics.startEnded(reply.replayed ? 'replayed' : reply.status);
      return reply;
    } catch (error) {
      this.metrics.startEnded(error instanceof ApiError ? error.code : 'INTERNAL');
      throw error;
    }
  }

  /** What the start would do; nothing is stored or charged. */
  dryRun({ processID, trigger, matrix, environmentID }: StartOrder): Promise<DryRunReply> {
    return this.rpc.call(execution.dryRun, { processID, trigger, matrix, environmentID });
  }

  /**
   * Asks again while nobody answers: execution starts an id once, however often it is asked, and nothing new past the
   * deadline. So the last question, past it, only learns whether an earlier one was accepted.
   */
  private async ask(request: StartRequest): Promise<StartReply> {
    if (!this.rpc.connected) throw routerError();
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      const left = request.deadline - this.clock.now();
      const timeout = left > 0 ? Math.min(left, ATTEMPT_MILLISECONDS) : LAST_WORD_MILLISECONDS;
      const reply = await this.attempt(request, timeout);
      if (reply) return ownAnswer(request, reply);
      if (left <= 0) throw routerError();
      await sleep(pause);
      request.resent = true;
    }
  }

  /** undefined when nobody answered. */
  private async attempt(request: StartRequest, timeout: number): Promise<StartReply | undefined> {
    try {
      return await this.rpc.call(execution.start, request, { timeout });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'UNAVAILABLE') return undefined;
      throw error;
    }
  }
}

/** An attempt whose answer was lost claimed the key: its repetition is no replay to the caller. */
function ownAnswer({ instanceID }: StartRequest, reply: StartReply): StartReply {
  return reply.instanceID === instanceID ? { instanceID, status: reply.status } : reply;
}

function routerError(): ApiError {
  return new ApiError(
    'ROUTER_ERROR',
    'The execution could not be queued in time; try again with the same Idempotency-Key.',
  );
}
