import type { HookStart, MappedValues, StartReply } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { faultPoint } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import { mappedValues } from '../mapping/evaluation/mapped-values';
import { MappingCache } from '../mapping/evaluation/mapping-cache';
import { visibleHeaders } from '../payload/headers';
import { readPayload } from '../payload/payload';
import { PayloadMemory } from '../payload/payload-memory';
import { queryNode, treeOf } from '../payload/payload-tree';
import { SignatureService } from '../signature/signature.service';
import { MappedStartService, type MappedStart } from './mapped-start.service';
import { WebhookStartMetrics } from './webhook-start.metrics';

/** Starts the published version with the values that its mapping takes from a call of a production URL (contract 4.17). */
@Injectable()
export class WebhookStartService {
  constructor(
    private readonly starts: MappedStartService,
    private readonly mappings: MappingCache,
    private readonly signatures: SignatureService,
    private readonly memory: PayloadMemory,
    private readonly metrics: WebhookStartMetrics,
    @Inject(WEBHOOK_CONFIG) private readonly config: WebhookConfig,
  ) {}

  /** Throws the refusal of the call, UNAVAILABLE when there is no memory for the body, and what `MappedStartService.start` throws. */
  async start(call: HookStart): Promise<StartReply> {
    try {
      const reply = await this.checkAndStart(call);
      this.metrics.countStart(reply.replayed ? 'replayed' : reply.status);
      return reply;
    } catch (error) {
      this.metrics.countStart(error instanceof ApiError ? error.code : 'INTERNAL');
      throw error;
    }
  }

  private async checkAndStart(call: HookStart): Promise<StartReply> {
    const bytes = Buffer.from(call.body, 'base64');
    // The gateway repeats a call whose reply was lost. Each attempt judges the signature as the first one did, because the first one may have
    // been accepted.
    const { messageID } = await this.signatures.require(call, bytes, call.calledAt);
    // The signature covers the id of a message, but no Idempotency-Key, which whoever repeats a recorded call could choose (interpretation 63).
    const idempotencyKey = messageID ?? call.idempotencyKey;
    const start = { ...call, ...(idempotencyKey !== undefined && { idempotencyKey }) };
    return this.memory.run(call.processID, bytes, () => this.startWith(start, bytes));
  }

  private async startWith(call: HookStart, bytes: Buffer): Promise<StartReply> {
    const body = readPayload({ body: bytes, contentType: call.contentType });
    const query = queryNode(call.query);
    faultPoint('webhook:before-start');
    const start: MappedStart = {
      request: toRequest(call, bytes),
      originID: call.originID,
      valuesOf: (versionID) => this.valuesOf(call, { body, query }, versionID),
    };
    const reply = await this.starts.start(start, call.versionID);
    faultPoint('webhook:after-start');
    return reply;
  }

  private async valuesOf(
    { originID, headers }: HookStart,
    { body, query }: { body: unknown; query: unknown },
    versionID: string,
  ): Promise<MappedValues['values']> {
    const mapping = await this.mappings.mappingOf(versionID, originID);
    const tree = mapping.readsQueryOrHeaders
      ? treeOf({}, query, visibleHeaders(headers, this.config.HIDDEN_HEADERS))
      : {};
    return mappedValues(mapping, { body, tree });
  }
}

/** A webhook call has no account: the origin is shown as user and executor (interpretation 10). */
function toRequest(call: HookStart, bytes: Buffer): MappedStart['request'] {
  const { instanceID, deadline, resent, processID, awaited, originName } = call;
  return {
    instanceID,
    deadline,
    ...(resent ? { resent } : {}),
    ...(awaited ? { awaited } : {}),
    processID,
    trigger: { kind: 'webhook', accountID: null, userName: originName, executor: originName },
    ...idempotencyOf(call, bytes),
  };
}

function idempotencyOf(
  { originID, idempotencyKey: key, query }: HookStart,
  bytes: Buffer,
): Pick<MappedStart['request'], 'idempotency'> {
  if (key === undefined) return {};
  const body = createHash('sha256').update(`${query}\n`).update(bytes).digest('hex');
  return { idempotency: { scope: `hook:${originID}`, key, body } };
}
