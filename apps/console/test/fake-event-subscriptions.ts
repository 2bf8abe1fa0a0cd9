import {
  eventSubscription,
  type EventDelivery,
  type EventSubscription,
  type EventTestResult,
  type OnBehalf,
  type RepliesOf,
  type RequestsOf,
} from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { v7 as uuid } from 'uuid';

type Requests = RequestsOf<typeof eventSubscription>;
type Replies = RepliesOf<typeof eventSubscription>;

const FIXED_TIME = '2026-11-20T12:00:00.000Z';

/** Stands in for the event subscriptions of the webhook service: keeps them, and records some of the requests. */
@Controller()
export class FakeEventSubscriptions {
  readonly subscriptions = new Map<string, EventSubscription>();
  /** The requests to create and change subscriptions, and those about deliveries, in the order of their arrival. */
  readonly requests: [name: string, request: unknown][] = [];
  /** On whose behalf changes were requested. */
  readonly changedBy: OnBehalf[] = [];
  testResult: EventTestResult = { ok: true, status: 204, error: null, durationMs: 12 };
  deliveries: EventDelivery[] = [];
  /** The cursor of the next page of deliveries. */
  next: string | undefined;
  /** The refusal of every request that `requests` records; undefined = the fake carries them out. */
  refusal: ApiError | undefined;
  private secrets = 0;

  @Handles(eventSubscription.list)
  async list({ companyID }: Requests['list']): Replies['list'] {
    return { subscriptions: [...this.subscriptions.values()].filter((one) => one.companyID === companyID) };
  }

  @Handles(eventSubscription.create)
  async create({ companyID, accountID, sessionHash, draft }: Requests['create']): Replies['create'] {
    this.changedBy.push({ accountID, sessionHash });
    this.recordRequest('create', draft);
    const counts = { waiting: 0, dead: 0 };
    const times = { lastSuccessAt: null, createdAt: FIXED_TIME };
    const created = { ...draft, id: uuid(), companyID, disabledReason: null, ...counts, ...times };
    this.subscriptions.set(created.id, created);
    return { ...created, secret: this.mintSecret() };
  }

  @Handles(eventSubscription.change)
  async change({ companyID, accountID, sessionHash, id, change }: Requests['change']): Replies['change'] {
    this.changedBy.push({ accountID, sessionHash });
    this.recordRequest('change', change);
    return Object.assign(this.requireSubscription(companyID, id), change);
  }

  @Handles(eventSubscription.remove)
  async remove({ companyID, accountID, sessionHash, id }: Requests['remove']): Replies['remove'] {
    this.changedBy.push({ accountID, sessionHash });
    this.requireSubscription(companyID, id);
    this.subscriptions.delete(id);
    return { ok: true };
  }

  @Handles(eventSubscription.rotateSecret)
  async rotateSecret({ companyID, accountID, sessionHash, id }: Requests['rotateSecret']): Replies['rotateSecret'] {
    this.changedBy.push({ accountID, sessionHash });
    return { ...this.requireSubscription(companyID, id), secret: this.mintSecret() };
  }

  @Handles(eventSubscription.test)
  async test({ companyID, id }: Requests['test']): Replies['test'] {
    this.requireSubscription(companyID, id);
    return this.testResult;
  }

  @Handles(eventSubscription.deliveries)
  async pageOfDeliveries({ companyID, id, ...page }: Requests['deliveries']): Replies['deliveries'] {
    this.requireSubscription(companyID, id);
    this.recordRequest('deliveries', page);
    return { deliveries: this.deliveries, ...(this.next !== undefined && { next: this.next }) };
  }

  @Handles(eventSubscription.redeliver)
  async redeliver({ companyID, accountID, sessionHash, id, ...which }: Requests['redeliver']): Replies['redeliver'] {
    this.changedBy.push({ accountID, sessionHash });
    this.requireSubscription(companyID, id);
    this.recordRequest('redeliver', which);
    return { redelivered: 1 };
  }

  /** Records a request, and refuses it when the test has set `refusal`. */
  private recordRequest(name: string, request: unknown): void {
    this.requests.push([name, request]);
    if (this.refusal) throw this.refusal;
  }

  private requireSubscription(companyID: string, id: string): EventSubscription {
    const found = this.subscriptions.get(id);
    if (found?.companyID !== companyID) throw new ApiError('NOT_FOUND', 'No such event subscription.');
    return found;
  }

  private mintSecret(): string {
    this.secrets += 1;
    return `whsec_${Buffer.from(`secret ${this.secrets}`).toString('base64')}`;
  }
}
