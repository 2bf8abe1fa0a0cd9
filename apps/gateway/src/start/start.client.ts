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
import { Rpc } from '@batuta/messaging';
import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { GATEWAY_CONFIG } from '../common/gateway-config.token';
import { GatewayMetrics } from '../common/gateway-metrics';
import { IdempotentRequests, type IdempotentRequest } from '../common/idempotent-requests';
import type { GatewayConfig } from '../config';

/** Execution accepts one start per instance id, however often it gets the request. */
type IdempotentStart = IdempotentRequest & Pick<StartRequest, 'instanceID'>;

/** The start of a process; StartClient adds the instance id and the deadline. */
export type StartOrder = Omit<StartRequest, keyof IdempotentStart>;
/**
 * The start that a webhook call asks of the webhook service. The gateway has made its instance id, under which a waiting caller is
 * registered.
 */
export type HookOrder = Omit<HookStart, 'deadline' | 'resent'>;

/** Asks execution, or the webhook service on its behalf, to accept a start. */
@Injectable()
export class StartClient {
  constructor(
    private readonly rpc: Rpc,
    private readonly requests: IdempotentRequests,
    private readonly metrics: GatewayMetrics,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /**
   * Throws what execution refuses the start with, ROUTER_ERROR when it was not stored and never will be, or UNAVAILABLE when nobody
   * could say in time whether it was (interpretation 40).
   */
  start(order: StartOrder): Promise<StartReply> {
    const request = { ...order, instanceID: uuid(), deadline: this.deadline() };
    return this.request(execution.start, request, order.trigger.accountID ?? order.processID);
  }

  /** Starts the process of a webhook call through the webhook service, which maps the payload. Throws what `start` throws. */
  startHook(order: HookOrder): Promise<StartReply> {
    return this.request(webhook.start, { ...order, deadline: this.deadline() }, order.processID);
  }

  /** What the start would do; nothing is stored or charged. Large lists and objects are RawJson. */
  dryRun({ processID, trigger, matrix, environmentID }: StartOrder): Promise<DryRunReply> {
    const tenant = trigger.accountID ?? processID;
    return this.rpc.call(execution.dryRun, { processID, trigger, matrix, environmentID }, { tenant, raw: true });
  }

  private deadline(): number {
    return this.requests.deadlineIn(this.config.START_TIMEOUT_MS);
  }

  private async request<Request extends IdempotentStart>(
    subject: RpcSubject<Request, StartReply>,
    request: Request,
    tenant: string,
  ): Promise<StartReply> {
    try {
      const reply = await this.requests.send(subject, request, tenant);
      if (!reply) throw routerError();
      const answer = withoutOwnReplay(request, reply);
      this.metrics.startEnded(answer.replayed ? 'replayed' : answer.status);
      return answer;
    } catch (error) {
      this.metrics.startEnded(error instanceof ApiError ? error.code : 'INTERNAL');
      throw error;
    }
  }
}

/** An earlier attempt of this request, whose reply was lost, has claimed the Idempotency-Key: that is no replay. */
function withoutOwnReplay({ instanceID }: IdempotentStart, reply: StartReply): StartReply {
  return reply.instanceID === instanceID ? { instanceID, status: reply.status } : reply;
}

function routerError(): ApiError {
  return new ApiError(
    'ROUTER_ERROR',
    'The execution could not be queued in time; try again with the same Idempotency-Key.',
  );
}
