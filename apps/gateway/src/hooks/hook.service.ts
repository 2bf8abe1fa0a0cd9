import { authorizeHook } from '@batuta/auth';
import { webhook, type StartReply } from '@batuta/contracts';
import { readRawBody } from '@batuta/http';
import type { Rpc } from '@batuta/messaging';
import { faultPoint } from '@batuta/observability';
import type { Response } from 'express';
import { v7 as uuid } from 'uuid';
import type { AccessLookups } from '../authorization/access-lookups';
import type { GatewayClock } from '../common/gateway-clock';
import type { GatewayMetrics } from '../common/gateway-metrics';
import type { GatewayRequest, ReachedHook } from '../http/request';
import { readIdempotencyKey } from '../start/idempotency-key';
import type { HookOrder, StartClient } from '../start/start.client';
import { acceptedAnswer, type HookAnswer } from './hook-answer';
import { toHookCall } from './hook-call';
import type { Places } from './places';
import type { WaitingCall } from './waiting-call';
import type { WaitingCalls } from './waiting';

/** A body that takes longer is slow: its URL may be another one by the time it is there. */
const SLOW_MS = 500;

export interface HookParts {
  rpc: Rpc;
  lookups: AccessLookups;
  clock: GatewayClock;
  metrics: GatewayMetrics;
  starts: StartClient;
  waiting: WaitingCalls;
  places: Places;
}

/** What a call of a webhook URL does (contract 4.17). */
export class HookService {
  constructor(private readonly parts: HookParts) {}

  /** Keeps the payload of a development URL; nothing runs. */
  async capture(reached: ReachedHook, request: GatewayRequest): Promise<HookAnswer> {
    const { hook, body } = await this.read(reached, request);
    const { captured, captureId } = await this.parts.rpc.call(webhook.capture, toHookCall(hook, request, body));
    return { status: 200, body: JSON.stringify({ captured, captureId }) };
  }

  /**
   * Starts the published version, and waits for its answer where the mode is `Aguardar`. undefined when the caller has
   * gone meanwhile. Throws what the start was refused with.
   */
  async start(reached: ReachedHook, request: GatewayRequest, response: Response): Promise<HookAnswer | undefined> {
    const { hook, reply, call } = await this.accept(reached, request);
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
  private async accept(reached: ReachedHook, request: GatewayRequest) {
    const { hook, body } = await this.read(reached, request);
    const order = orderOf(hook, request, body);
    const deadline = hook.calledAt + hook.waitSeconds * 1_000;
    const call = order.awaited && this.parts.waiting.enter(order.instanceID, deadline);
    try {
      return { hook, reply: await this.parts.starts.startHook(order), call };
    } catch (error) {
      if (call) this.parts.waiting.leave(call);
      throw error;
    }
  }

  /** The body, and the URL as it is once the body is there: what was rotated or switched off meanwhile starts nothing. */
  private async read(hook: ReachedHook, request: GatewayRequest): Promise<{ hook: ReachedHook; body: Buffer }> {
    const body = await readRawBody(request);
    if (this.parts.clock.now() - hook.calledAt < SLOW_MS) return { hook, body };
    const now = authorizeHook(await this.parts.lookups.hook(hook.tokenHash), hook.processID);
    return { hook: { ...hook, ...now }, body };
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

function orderOf(hook: ReachedHook, request: GatewayRequest, body: Buffer): HookOrder {
  return {
    ...toHookCall(hook, request, body),
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
