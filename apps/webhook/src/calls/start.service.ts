import type { HookStart, MappedValues, StartReply } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { faultPoint } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import { WebhookMetrics } from '../metrics';
import { visibleHeaders } from './headers';
import { MappedStarts, type MappedOrder } from './mapped-starts';
import { mappedValues } from './mapped-values';
import { MappingCache } from './mapping-cache';
import { readPayload } from './payload';
import { SignatureRules } from './signature-rules';
import { queryNode, treeOf } from './tree';

/** Starts the published version with what its mapping takes from a call of a production URL (contract 4.17). */
@Injectable()
export class StartService {
  constructor(
    private readonly starts: MappedStarts,
    private readonly mappings: MappingCache,
    private readonly signatures: SignatureRules,
    private readonly metrics: WebhookMetrics,
    @Inject(WEBHOOK_CONFIG) private readonly config: WebhookConfig,
  ) {}

  /** Throws what the call, or execution, is refused with, and UNAVAILABLE when execution does not answer. */
  async start(call: HookStart): Promise<StartReply> {
    try {
      const reply = await this.judgeAndStart(call);
      this.metrics.startEnded(reply.replayed ? 'replayed' : reply.status);
      return reply;
    } catch (error) {
      this.metrics.startEnded(error instanceof ApiError ? error.code : 'INTERNAL');
      throw error;
    }
  }

  private async judgeAndStart(call: HookStart): Promise<StartReply> {
    const bytes = Buffer.from(call.body, 'base64');
    await this.signatures.require(call, bytes);
    const body = readPayload({ body: bytes, contentType: call.contentType });
    faultPoint('webhook:before-start');
    const reply = await this.starts.start(
      {
        request: toRequest(call, bytes),
        originID: call.originID,
        valuesOf: (versionID) => this.valuesOf(call, body, versionID),
      },
      call.versionID,
    );
    faultPoint('webhook:after-start');
    return reply;
  }

  private async valuesOf(
    { originID, query, headers }: HookStart,
    body: unknown,
    versionID: string,
  ): Promise<MappedValues['values']> {
    const mapping = await this.mappings.of(versionID, originID);
    const tree = mapping.readsRoots
      ? treeOf({}, queryNode(query), visibleHeaders(headers, this.config.HIDDEN_HEADERS))
      : {};
    return mappedValues(mapping, { body, tree });
  }
}

/** Nobody is logged in: the run is the origin's own (interpretation 10). */
function toRequest(call: HookStart, bytes: Buffer): MappedOrder['request'] {
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
): Pick<MappedOrder['request'], 'idempotency'> {
  if (key === undefined) return {};
  const body = createHash('sha256').update(`${query}\n`).update(bytes).digest('hex');
  return { idempotency: { scope: `hook:${originID}`, key, body } };
}
