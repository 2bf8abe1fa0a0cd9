import {
  execution,
  webhook,
  type DryRunReply,
  type HookStart,
  type RpcSubject,
  type StartReply,
  type StartRequest,
} from '@batuta/contracts';
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

/** What makes a request that may be sent twice start once. */
type Repeatable = Pick<StartRequest, 'instanceID' | 'deadline' | 'resent'>;

/** A start as it was asked for; the id and the deadline come here. */
export type StartOrder = Omit<StartRequest, keyof Repeatable>;
/** The same of a webhook's call; its id comes along, for whoever waits for the answer under it. */
export type HookOrder = Omit<HookStart, 'deadline' | 'resent'>;

export class StartService {
  constructor(
    private readonly rpc: Rpc,
    private readonly clock: Clock,
    private readonly metrics: GatewayMetrics,
    /** Milliseconds. */
    private readonly timeout: number,
  ) {}

  /** Throws what execution refused with, or ROUTER_ERROR when it cannot be reached in time (reading 40). */
  start(order: StartOrder): Promise<StartReply> {
    return this.counted(this.ask(execution.start, { ...order, instanceID: uuid(), deadline: this.deadline() }));
  }

  /** The same by way of the webhook service, which maps the payload. */
  startHook(order: HookOrder): Promise<StartReply> {
    return this.counted(this.ask(webhook.start, { ...order, deadline: this.deadline() }));
  }

  /** What the start would do; nothing is stored or charged. */
  dryRun({ processID, trigger, matrix, environmentID }: StartOrder): Promise<DryRunReply> {
    return this.rpc.call(execution.dryRun, { processID, trigger, matrix, environmentID });
  }

  private deadline(): number {
    return this.clock.now() + this.timeout;
  }

  private async counted(asked: Promise<StartReply>): Promise<StartReply> {
    try {
      const reply = await asked;
      this.metrics.startEnded(reply.replayed ? 'replayed' : reply.status);
      return reply;
    } catch (error) {
      this.metrics.startEnded(error instanceof ApiError ? error.code : 'INTERNAL');
      throw error;
    }
  }

  /**
   * Asks again while nobody answers: execution starts an id once, however often it is asked, and nothing new past the
   * deadline. So the last question, past it, only learns whether an earlier one was accepted.
   */
  private async ask<Request extends Repeatable>(
    subject: RpcSubject<Request, StartReply>,
    request: Request,
  ): Promise<StartReply> {
    if (!this.rpc.connected) throw routerError();
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      const left = request.deadline - this.clock.now();
      const timeout = left > 0 ? Math.min(left, ATTEMPT_MILLISECONDS) : LAST_WORD_MILLISECONDS;
      const reply = await this.attempt(subject, request, timeout);
      if (reply) return ownAnswer(request, reply);
      if (left <= 0) throw routerError();
      await sleep(pause);
      request.resent = true;
    }
  }

  /** undefined when nobody answered. */
  private async attempt<Request>(
    subject: RpcSubject<Request, StartReply>,
    request: Request,
    timeout: number,
  ): Promise<StartReply | undefined> {
    try {
      return await this.rpc.call(subject, request, { timeout });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'UNAVAILABLE') return undefined;
      throw error;
    }
  }
}

/** An attempt whose answer was lost claimed the key: its repetition is no replay to the caller. */
function ownAnswer({ instanceID }: Repeatable, reply: StartReply): StartReply {
  return reply.instanceID === instanceID ? { instanceID, status: reply.status } : reply;
}

function routerError(): ApiError {
  return new ApiError(
    'ROUTER_ERROR',
    'The execution could not be queued in time; try again with the same Idempotency-Key.',
  );
}
