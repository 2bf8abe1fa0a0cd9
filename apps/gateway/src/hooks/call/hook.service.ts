import { webhook, type HookCall } from '@batuta/contracts';
import { LargeAnswers } from '@batuta/http';
import { Rpc } from '@batuta/messaging';
import { faultPoint } from '@batuta/observability';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { v7 as uuid } from 'uuid';
import type { GatewayRequest, AuthorizedHook } from '../../http/request';
import { readIdempotencyKey } from '../../start/idempotency-key';
import { StartClient, type HookStartInput } from '../../start/start-client';
import { WaitService } from '../waiting/wait.service';
import { WaitingCallers } from '../waiting/waiting-callers';
import { acceptedAnswer, waitedAnswer, type HookAnswer } from './hook-answer';
import { HookCallReader } from './hook-call-reader';

/** What a call of a webhook URL does (contract 4.17). */
@Injectable()
export class HookService {
  constructor(
    private readonly rpc: Rpc,
    private readonly reader: HookCallReader,
    private readonly starts: StartClient,
    private readonly callers: WaitingCallers,
    private readonly waits: WaitService,
    private readonly answers: LargeAnswers,
  ) {}

  /** Stores the payload of a development URL as a capture; starts nothing. Throws the refusal of the call. */
  async capture(hook: AuthorizedHook, request: GatewayRequest, response: Response): Promise<HookAnswer> {
    const { captured, captureId } = await this.reader.read(hook, request, response, (_hook, call) =>
      this.rpc.call(webhook.capture, call),
    );
    return { status: 200, body: JSON.stringify({ captured, captureId }) };
  }

  /**
   * Starts the published version and, in the mode `Aguardar`, waits for its answer. Returns undefined when the caller has
   * disconnected. Throws the refusal of the call or of the start. Empties the headers of the request when it waits.
   */
  async start(hook: AuthorizedHook, request: GatewayRequest, response: Response): Promise<HookAnswer | undefined> {
    const { processID, reply, caller } = await this.accept(hook, request, response);
    faultPoint('gateway:after-hook-start');
    if (!caller) return acceptedAnswer(reply);
    try {
      if (reply.replayed || reply.status === 'queued') return acceptedAnswer(reply);
      dropHeaders(request);
      const result = await this.waits.wait(caller, processID, response);
      if (result.end === 'disconnected') return undefined;
      const answer = result.end === 'waited' ? waitedAnswer(result.state) : acceptedAnswer(reply);
      // A refusal would say that nothing was started, so the caller gets the response to an accepted start. The
      // instance keeps its answer, to which `X-Instance-Id` leads.
      const exceeded = this.answers.tryReserve(hook.companyID, response, Buffer.byteLength(answer.body));
      return exceeded ? acceptedAnswer(reply) : answer;
    } finally {
      this.callers.remove(caller);
    }
  }

  // A separate method, so that no variable keeps the body in memory during the wait.
  private accept(hook: AuthorizedHook, request: GatewayRequest, response: Response) {
    return this.reader.read(hook, request, response, (current, call) => this.acceptCall(current, call, request));
  }

  private async acceptCall(hook: AuthorizedHook, call: HookCall, request: GatewayRequest) {
    const input = toHookStartInput(hook, call, request);
    const deadline = hook.calledAt + hook.waitSeconds * 1_000;
    const caller = input.awaited && this.callers.add(input.instanceID, deadline, hook.companyID);
    try {
      return { processID: hook.processID, reply: await this.starts.startHook(input), caller };
    } catch (error) {
      if (caller) this.callers.remove(caller);
      throw error;
    }
  }
}

function toHookStartInput(hook: AuthorizedHook, call: HookCall, request: GatewayRequest): HookStartInput {
  return {
    ...call,
    instanceID: uuid(),
    calledAt: hook.calledAt,
    originName: hook.originName,
    versionID: hook.versionID,
    idempotencyKey: readIdempotencyKey(request),
    awaited: hook.responseMode === 'Aguardar' ? true : undefined,
  };
}

/** Removes the request's headers, which are no longer needed: thousands of calls may wait at the same time. */
function dropHeaders(request: GatewayRequest): void {
  request.headers = {};
  request.rawHeaders = [];
}
