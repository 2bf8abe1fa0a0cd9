import {
  webhook,
  type Capture,
  type CaptureStart,
  type CaptureSummary,
  type Mapping,
  type MappingEntry,
  type OnBehalf,
} from '@batuta/contracts';
import type { Origin, OriginDraft, Preview, RepliesOf, RequestsOf, StartReply } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Handles, natsMicroservice } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { v7 as uuid } from 'uuid';
import { FakeEventSubscriptions } from './fake-event-subscriptions';

type Requests = RequestsOf<typeof webhook>;
type Replies = RepliesOf<typeof webhook>;

const MAPPING_ENTRY: MappingEntry = { pointer: '/order/total', variableId: '01920000-0000-7000-8000-000000000020' };
const MAPPING: Mapping = { unsaved: [MAPPING_ENTRY], saved: [], published: [{ ...MAPPING_ENTRY, pointer: '' }] };
const PREVIEW: Preview = {
  draft: [{ ...MAPPING_ENTRY, name: 'total', value: 10.5 }],
  published: [{ ...MAPPING_ENTRY, name: 'total', refusal: 'is not a number' }],
};
const FIXED_TIME = '2026-11-20T12:00:00.000Z';

/** Stands in for the webhook service: keeps origins and captures. */
@Controller()
export class FakeWebhook {
  static readonly mapping = MAPPING;
  static readonly preview = PREVIEW;

  readonly origins = new Map<string, Origin>();
  readonly captures = new Map<string, Capture>();
  /** The requests in the order of their arrival, without removals, rotations and most reads. */
  readonly requests: [name: string, request: unknown][] = [];
  /** On whose behalf changes were requested. */
  readonly changedBy: OnBehalf[] = [];
  readonly starts: CaptureStart[] = [];
  startReply: StartReply['status'] | ApiError = 'started';
  /** How many of the next starts get no answer. */
  unanswered = 0;
  /** The refusal of every request that `requests` records; undefined = the fake carries them out. */
  refusal: ApiError | undefined;
  private tokens = 0;

  /** Adds a capture, as a call of the development URL of the origin does. */
  addCapture(originID: string): Capture {
    const { processID } = this.requireOrigin({ id: originID });
    const summary = { id: uuid(), originID, processID, capturedAt: FIXED_TIME, bytes: 11, truncated: false };
    const capture = { ...summary, payload: { a: 1, _query: {}, _headers: {} } };
    this.captures.set(capture.id, capture);
    return capture;
  }

  @Handles(webhook.origins)
  async list({ processID }: Requests['origins']): Replies['origins'] {
    return { origins: [...this.origins.values()].filter((origin) => origin.processID === processID) };
  }

  @Handles(webhook.createOrigin)
  async create({ processID, draft, ...by }: Requests['createOrigin']): Replies['createOrigin'] {
    this.changedBy.push(by);
    this.recordRequest('create', draft);
    const created = {
      ...draft,
      id: uuid(),
      processID,
      createdAt: FIXED_TIME,
      signature: signatureRuleOf(draft.signature),
    };
    const origin: Origin = { ...created, devToken: this.mintToken(), prodToken: this.mintToken() };
    this.origins.set(origin.id, origin);
    return origin;
  }

  @Handles(webhook.origin)
  async find(by: Requests['origin']): Replies['origin'] {
    return this.requireOrigin(by);
  }

  @Handles(webhook.changeOrigin)
  async change({ id, change, ...by }: Requests['changeOrigin']): Replies['changeOrigin'] {
    this.changedBy.push(by);
    this.recordRequest('change', change);
    const { signature, ...fields } = change;
    return Object.assign(
      this.requireOrigin({ id }),
      fields,
      signature === undefined ? {} : { signature: signatureRuleOf(signature) },
    );
  }

  @Handles(webhook.removeOrigin)
  async remove({ id, ...by }: Requests['removeOrigin']): Replies['removeOrigin'] {
    this.changedBy.push(by);
    this.requireOrigin({ id });
    this.origins.delete(id);
    return { ok: true };
  }

  @Handles(webhook.rotate)
  async rotate({ id, url, ...by }: Requests['rotate']): Replies['rotate'] {
    this.changedBy.push(by);
    const origin = this.requireOrigin({ id });
    origin[url === 'dev' ? 'devToken' : 'prodToken'] = this.mintToken();
    return origin;
  }

  @Handles(webhook.mapping)
  async mapping(request: Requests['mapping']): Replies['mapping'] {
    this.recordRequest('mapping', request);
    return MAPPING;
  }

  @Handles(webhook.draftMapping)
  async draftMapping({ id, entries, ...by }: Requests['draftMapping']): Replies['draftMapping'] {
    this.changedBy.push(by);
    this.recordRequest('draft', { id, entries });
    return { ...MAPPING, unsaved: entries };
  }

  @Handles(webhook.saveMapping)
  async saveMapping({ id, ...by }: Requests['saveMapping']): Replies['saveMapping'] {
    this.changedBy.push(by);
    this.recordRequest('save', { id });
    return { ...MAPPING, unsaved: null, saved: [MAPPING_ENTRY] };
  }

  @Handles(webhook.captures)
  async listCaptures({ id }: Requests['captures']): Replies['captures'] {
    const captures = [...this.captures.values()].filter(({ originID }) => originID === id);
    return { captures: captures.map(summaryOf) };
  }

  @Handles(webhook.removeCaptures)
  async removeCaptures({ id, ...by }: Requests['removeCaptures']): Replies['removeCaptures'] {
    this.changedBy.push(by);
    const ids = [...this.captures.values()].flatMap((capture) => (capture.originID === id ? [capture.id] : []));
    for (const captureID of ids) this.captures.delete(captureID);
    return { removed: ids.length };
  }

  @Handles(webhook.findCapture)
  async findCapture({ captureID }: Requests['findCapture']): Replies['findCapture'] {
    const capture = this.captures.get(captureID);
    if (!capture) throw notFound();
    return capture;
  }

  @Handles(webhook.removeCapture)
  async removeCapture({ captureID, ...by }: Requests['removeCapture']): Replies['removeCapture'] {
    this.changedBy.push(by);
    this.captures.delete(captureID);
    return { ok: true };
  }

  @Handles(webhook.preview)
  async preview(request: Requests['preview']): Replies['preview'] {
    this.recordRequest('preview', request);
    return PREVIEW;
  }

  @Handles(webhook.debug)
  async debug(request: Requests['debug']): Replies['debug'] {
    return this.start('debug', request);
  }

  @Handles(webhook.replay)
  async replay(request: Requests['replay']): Replies['replay'] {
    return this.start('replay', request);
  }

  private async start(name: string, request: CaptureStart): Promise<StartReply> {
    this.recordRequest(name, request);
    this.starts.push(request);
    if (this.unanswered-- > 0) throw new ApiError('UNAVAILABLE');
    if (this.startReply instanceof ApiError) throw this.startReply;
    return { instanceID: request.instanceID, status: this.startReply };
  }

  /** Records a request, and refuses it when the test has set `refusal`. */
  private recordRequest(name: string, request: unknown): void {
    this.requests.push([name, request]);
    if (this.refusal) throw this.refusal;
  }

  private requireOrigin(by: Requests['origin']): Origin {
    const id = 'id' in by ? by.id : this.captures.get(by.captureID)?.originID;
    const origin = this.origins.get(id ?? '');
    if (!origin) throw notFound();
    return origin;
  }

  private mintToken(): string {
    this.tokens += 1;
    return `bwh_${this.tokens}`;
  }
}

function signatureRuleOf(signature: OriginDraft['signature']): Origin['signature'] {
  return signature && { header: signature.header, toleranceSeconds: signature.toleranceSeconds };
}

function notFound(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no such thing.');
}

function summaryOf({ id, originID, processID, capturedAt, bytes, truncated }: Capture): CaptureSummary {
  return { id, originID, processID, capturedAt, bytes, truncated };
}

@Module({ controllers: [FakeWebhook, FakeEventSubscriptions] })
class FakeWebhookModule {}

export async function startFakeWebhook(natsURL: string): Promise<{
  app: INestMicroservice;
  fake: FakeWebhook;
  fakeEvents: FakeEventSubscriptions;
}> {
  const options = { ...natsMicroservice(natsURL, 'fake-webhook'), logger: false as const };
  const app = await NestFactory.createMicroservice(FakeWebhookModule, options);
  await app.listen();
  return { app, fake: app.get(FakeWebhook), fakeEvents: app.get(FakeEventSubscriptions) };
}
