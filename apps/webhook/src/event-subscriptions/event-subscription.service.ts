import { recordAction, type ManagementAction } from '@batuta/audit';
import { requireRoom } from '@batuta/catalog';
import type {
  EventSubscription,
  EventSubscriptionDraft,
  EventSubscriptionWithSecret,
  EventName,
  SubscriptionScope,
} from '@batuta/contracts';
import { Store } from '@batuta/database';
import { KeyRing } from '@batuta/secrets';
import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import { EventAddresses } from './event-address';
import { fromEventsColumn, toEventsColumn } from './event-names';
import { newEventSecret, sealPreviousSecret, sealSecret, unsealSecret } from './event-secret';
import * as subscriptions from './event-subscription.repository';
import type { CountedSubscriptionRow, SubscriptionColumns, SubscriptionRow } from './event-subscription.repository';
import { lockSubscriber } from './lock-subscriber';

/** Number of hours after a rotation for which messages are also signed with the previous secret. */
const ROTATION_HOURS = 24;

/** The event subscriptions of a company. Each change writes an audit event, and also throws what `lockSubscriber` throws. */
@Injectable()
export class EventSubscriptionService {
  constructor(
    private readonly store: Store,
    private readonly keys: KeyRing,
    private readonly addresses: EventAddresses,
    @Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'QUOTA_EVENT_SUBSCRIPTIONS'>,
  ) {}

  /** Oldest first, without their secrets. */
  async listOfCompany(companyID: string): Promise<EventSubscription[]> {
    return (await subscriptions.findSubscriptionsOfCompany(this.store, companyID)).map(toSubscription);
  }

  /**
   * Throws QUOTA_EXCEEDED, or BAD_REQUEST for an unusable `url`, `events` or `processID`. Here and below, the transaction reads the whole answer:
   * a secret whose answer failed would never be shown.
   */
  async create(scope: SubscriptionScope, draft: EventSubscriptionDraft): Promise<EventSubscriptionWithSecret> {
    const { companyID } = scope;
    const [id, secret] = [uuid(), newEventSecret()];
    const { url, processID, enabled } = draft;
    const columns = { url, process_id: processID, enabled, events: toEventsColumn(draft.events) };
    await this.addresses.requireUsable(url);
    return this.store.transaction(async (tx) => {
      await requireRoom(tx, companyID, 'eventSubscriptions', this.config.QUOTA_EVENT_SUBSCRIPTIONS);
      await lockSubscriber(tx, scope, processID);
      const sealed = sealSecret(this.keys, id, secret);
      await subscriptions.insertSubscription(tx, { id, companyID, sealed }, columns);
      record(tx, 'subscription.add', { subscription_id: id, company_id: companyID, ...columns });
      return { ...(await this.find(companyID, id, tx)), secret };
    });
  }

  /**
   * Changes the given fields. When it is switched off, the next rounds end its waiting deliveries; those for which it no longer asks, by event or
   * by process, end once one of them is due. Throws NOT_FOUND, and BAD_REQUEST as `create` does.
   */
  async change(
    scope: SubscriptionScope,
    id: string,
    change: Partial<EventSubscriptionDraft>,
  ): Promise<EventSubscription> {
    const { companyID } = scope;
    const columns = toColumns(change);
    await this.find(companyID, id);
    if (change.url !== undefined) await this.addresses.requireUsable(change.url);
    return this.store.transaction(async (tx) => {
      await lockSubscriber(tx, scope, change.processID);
      const row = await subscriptions.lockSubscription(tx, companyID, id);
      await subscriptions.changeSubscription(tx, id, columns);
      // Otherwise deliveries would wait for their next attempt, for up to 22 hours, although none will be made.
      if (change.enabled === false) await subscriptions.makeOldestDue(tx, id);
      record(tx, 'subscription.change', { ...row, ...columns }, { changed: Object.keys(change) });
      return this.find(companyID, id, tx);
    });
  }

  /** Its waiting deliveries are not sent any more; sweeps delete them. Throws NOT_FOUND. */
  async remove(scope: SubscriptionScope, id: string): Promise<void> {
    await this.store.transaction(async (tx) => {
      await lockSubscriber(tx, scope);
      const row = await subscriptions.lockSubscription(tx, scope.companyID, id);
      await subscriptions.deleteSubscription(tx, id);
      record(tx, 'subscription.delete', row);
    });
  }

  /**
   * Replaces the secret and returns the new one. Messages are also signed with the one before for ROTATION_HOURS, unless a further rotation comes
   * earlier. Throws NOT_FOUND.
   */
  async rotateSecret(scope: SubscriptionScope, id: string): Promise<EventSubscriptionWithSecret> {
    const { companyID } = scope;
    const secret = newEventSecret();
    return this.store.transaction(async (tx) => {
      await lockSubscriber(tx, scope);
      const row = await subscriptions.lockSubscription(tx, companyID, id);
      const before = unsealSecret(this.keys, id, row.sealed_secret);
      await subscriptions.replaceSecret(tx, id, {
        sealed: sealSecret(this.keys, id, secret),
        previous: sealPreviousSecret(this.keys, id, before),
        hours: ROTATION_HOURS,
      });
      record(tx, 'subscription.rotate', row);
      return { ...(await this.find(companyID, id, tx)), secret };
    });
  }

  private async find(companyID: string, id: string, store = this.store): Promise<EventSubscription> {
    return toSubscription(await subscriptions.findSubscription(store, companyID, id));
  }
}

function record(
  tx: Store,
  action: ManagementAction,
  row: Pick<SubscriptionRow, 'subscription_id' | 'company_id' | 'process_id' | 'url'>,
  detail: { changed?: string[] } = {},
): void {
  recordAction(tx, {
    action,
    objectID: row.subscription_id,
    companyID: row.company_id,
    ...(row.process_id !== null && { processID: row.process_id }),
    // The detail has the host only, because the path and the query of an address may have a token.
    detail: { host: new URL(row.url).host, ...detail },
  });
}

function toColumns({ url, events, processID, enabled }: Partial<EventSubscriptionDraft>): Partial<SubscriptionColumns> {
  return {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: toEventsColumn(events) }),
    ...(processID !== undefined && { process_id: processID }),
    ...(enabled !== undefined && { enabled }),
  };
}

function toSubscription(row: CountedSubscriptionRow): EventSubscription {
  const events: EventName[] = fromEventsColumn(row.events);
  return {
    id: row.subscription_id,
    companyID: row.company_id,
    processID: row.process_id,
    url: row.url,
    events,
    enabled: row.enabled === 1,
    disabledReason: row.disabled_reason,
    lastSuccessAt: row.last_success_at?.toISOString() ?? null,
    waiting: row.waiting,
    dead: row.dead,
    createdAt: row.created_at.toISOString(),
  };
}
