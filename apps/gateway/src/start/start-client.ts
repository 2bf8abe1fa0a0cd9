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
import { GatewayMetrics } from '../common/gateway.metrics';
import { IdempotentRequests, type IdempotentRequest } from '../common/idempotent-requests';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';

/** Execution accepts one start per instance id, also when it gets the request several times. */
type IdempotentStart = IdempotentRequest & Pick<StartRequest, 'instanceID'>;

/** The start of a process; StartClient adds the instance id and the deadline. */
export type StartInput = Omit<StartRequest, keyof IdempotentStart>;
/**
 * The start of a webhook call, as the webhook service gets it. The gateway makes the instance id, because a waiting
 * caller is registered under it before the start.
 */
export type HookStartInput = Omit<HookStart, 'deadline' | 'resent'>;

/** Asks execution, for a webhook call through the webhook service, to accept a start. */
@Injectable()
export class StartClient {
  constructor(
    private readonly rpc: Rpc,
    private readonly requests: IdempotentRequests,
    private readonly metrics: GatewayMetrics,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'START_TIMEOUT_MS'>,
  ) {}

  /**
   * Throws the refusal of execution, ROUTER_ERROR when the start was not stored and never will be, or UNAVAILABLE when nobody could
   * say in time whether it was (interpretation 40).
   */
  start(input: StartInput): Promise<StartReply> {
    const request = { ...input, instanceID: uuid(), deadline: this.deadline() };
    return this.request(execution.start, request);
  }

  /**
   * Starts the process of a webhook call through the webhook service, which maps the payload. Throws what `start` throws, and the refusals of the
   * webhook service.
   */
  startHook(input: HookStartInput): Promise<StartReply> {
    return this.request(webhook.start, { ...input, deadline: this.deadline() });
  }

  /**
   * Returns what the start would do, also its refusals; stores and charges nothing. Throws PROCESS_NOT_FOUND for a process that does not exist, and
   * UNAVAILABLE when execution does not reply. Large lists and objects in the reply are RawJson.
   */
  dryRun({ processID, trigger, matrix, environmentID }: StartInput): Promise<DryRunReply> {
    return this.rpc.call(execution.dryRun, { processID, trigger, matrix, environmentID }, { raw: true });
  }

  private deadline(): number {
    return this.requests.deadlineIn(this.config.START_TIMEOUT_MS);
  }

  private async request<Request extends IdempotentStart>(
    subject: RpcSubject<Request, StartReply>,
    request: Request,
  ): Promise<StartReply> {
    try {
      const reply = await this.requests.send(subject, request);
      if (!reply) throw routerError();
      const answer = asFirstReply(request, reply);
      this.metrics.countStart(answer.replayed ? 'replayed' : answer.status);
      return answer;
    } catch (error) {
      this.metrics.countStart(error instanceof ApiError ? error.code : 'INTERNAL');
      throw error;
    }
  }
}

/** The reply without its replay mark when an earlier attempt of the same request, whose reply was lost, was accepted. */
function asFirstReply({ instanceID }: IdempotentStart, reply: StartReply): StartReply {
  return reply.instanceID === instanceID ? { instanceID, status: reply.status } : reply;
}

function routerError(): ApiError {
  return new ApiError(
    'ROUTER_ERROR',
    'The execution could not be queued in time; try again with the same Idempotency-Key.',
  );
}
