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
import { v7 as uuid } from 'uuid';
import { Asking, type Repeatable } from '../asking';
import type { Clock } from '../clock';
import type { GatewayMetrics } from '../http/gateway-metrics';

/** What makes a request that may be sent twice start once. */
type Once = Repeatable & Pick<StartRequest, 'instanceID'>;

/** A start as it was asked for; the id and the deadline come here. */
export type StartOrder = Omit<StartRequest, keyof Once>;
/** The same of a webhook's call; its id comes along, for whoever waits for the answer under it. */
export type HookOrder = Omit<HookStart, 'deadline' | 'resent'>;

export class StartService {
  private readonly asking: Asking;

  constructor(
    private readonly rpc: Rpc,
    clock: Clock,
    private readonly metrics: GatewayMetrics,
    /** How long a start may take, in milliseconds. */
    timeout: number,
  ) {
    this.asking = new Asking(rpc, clock, timeout);
  }

  /** Throws what execution refused with, or ROUTER_ERROR when it cannot be reached in time (interpretation 40). */
  start(order: StartOrder): Promise<StartReply> {
    return this.counted(this.ask(execution.start, { ...order, instanceID: uuid(), deadline: this.asking.deadline() }));
  }

  /** The same by way of the webhook service, which maps the payload. */
  startHook(order: HookOrder): Promise<StartReply> {
    return this.counted(this.ask(webhook.start, { ...order, deadline: this.asking.deadline() }));
  }

  /** What the start would do; nothing is stored or charged. */
  dryRun({ processID, trigger, matrix, environmentID }: StartOrder): Promise<DryRunReply> {
    return this.rpc.call(execution.dryRun, { processID, trigger, matrix, environmentID });
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

  private async ask<Request extends Once>(
    subject: RpcSubject<Request, StartReply>,
    request: Request,
  ): Promise<StartReply> {
    const reply = await this.asking.untilAnswered(subject, request);
    if (!reply) throw routerError();
    return ownAnswer(request, reply);
  }
}

/** An attempt whose answer was lost claimed the key: its repetition is no replay to the caller. */
function ownAnswer({ instanceID }: Once, reply: StartReply): StartReply {
  return reply.instanceID === instanceID ? { instanceID, status: reply.status } : reply;
}

function routerError(): ApiError {
  return new ApiError(
    'ROUTER_ERROR',
    'The execution could not be queued in time; try again with the same Idempotency-Key.',
  );
}
