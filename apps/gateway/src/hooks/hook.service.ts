import { webhook, type StartReply } from '@batuta/contracts';
import type { Rpc } from '@batuta/messaging';
import { faultPoint } from '@batuta/observability';
import type { Response } from 'express';
import { v7 as uuid } from 'uuid';
import type { Clock } from '../clock';
import type { GatewayMetrics } from '../http/gateway-metrics';
import { readRawBody } from '../http/raw-body';
import type { GatewayRequest, ReachedHook } from '../http/request';
import { readIdempotencyKey } from '../start/start-body';
import type { HookOrder, StartService } from '../start/start.service';
import { acceptedAnswer, type HookAnswer } from './hook-answer';
import { toHookCall } from './hook-call';
import type { Places } from './places';
import type { WaitingCall } from './waiting-call';
import type { WaitingCalls } from './waiting';

export interface HookParts {
  rpc: Rpc;
  clock: Clock;
  metrics: GatewayMetrics;
  starts: StartService;
  waiting: WaitingCalls;
  places: Places;
}

/** What a call of a webhook URL does (spec 4.17). */
export class HookService {
  constructor(private readonly parts: HookParts) {}

  /** Keeps the payload of a development URL; nothing runs. */
  async capture(hook: ReachedHook, request: GatewayRequest): Promise<HookAnswer> {
    const { captured, captureId } = await this.parts.rpc.call(
      webhook.capture,
      toHookCall(hook, request, await readRawBody(request)),
    );
    return { status: 200, body: JSON.stringify({ captured, captureId }) };
  }

  /**
   * Starts the published version, and waits for its answer where the mode is `Aguardar`. undefined when the caller has
   * gone meanwhile. Throws what the start was refused with.
   */
  async start(hook: ReachedHook, request: GatewayRequest, response: Response): Promise<HookAnswer | undefined> {
    const { reply, call } = await this.accept(hook, request);
    faultPoint('gateway:after-hook-start');
    if (!call) return acceptedAnswer(reply);
    try {
      if (reply.replayed || reply.status === 'queued') return acceptedAnswer(reply);
      forget(request);
      return await this.wait(call, hook, response, reply);
    } finally {
      this.parts.waiting.leave(call);
    }
  }

  // On its own, so that nothing of a body is kept in memory by a call that waits.
  private async accept(hook: ReachedHook, request: GatewayRequest) {
    const order = await readOrder(hook, request);
    const deadline = hook.calledAt + hook.waitSeconds * 1_000;
    const call = order.awaited && this.parts.waiting.enter(order.instanceID, deadline);
    try {
      return { reply: await this.parts.starts.startHook(order), call };
    } catch (error) {
      if (call) this.parts.waiting.leave(call);
      throw error;
    }
  }

  private async wait(
    call: WaitingCall,
    { processID }: ReachedHook,
    response: Response,
    reply: StartReply,
  ): Promise<HookAnswer | undefined> {
    const { clock, metrics, places } = this.parts;
    if (response.destroyed) return undefined;
    response.once('close', () => call.abandon());
    call.accept();
    const timely = clock.now() < call.deadline;
    const place = timely ? await places.take(processID) : undefined;
    if (timely && !place) {
      metrics.waitEnded('full');
      return acceptedAnswer(reply);
    }
    faultPoint('gateway:waiting');
    const answer = await call.answer;
    metrics.waitEnded(answer ? 'told' : 'gone');
    place?.leave();
    return answer;
  }
}

async function readOrder(hook: ReachedHook, request: GatewayRequest): Promise<HookOrder> {
  const call = toHookCall(hook, request, await readRawBody(request));
  return {
    ...call,
    instanceID: uuid(),
    originName: hook.originName,
    versionID: hook.versionID,
    idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
    awaited: hook.responseMode === 'Aguardar' ? true : undefined,
  };
}

/** Thousands of callers may wait, and nobody reads their headers any more. */
function forget(request: GatewayRequest): void {
  request.headers = {};
  request.rawHeaders = [];
}
