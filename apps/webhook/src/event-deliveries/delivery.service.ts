import { recordAction } from '@batuta/audit';
import type { EventDeliveryPage, EventTestResult, RequestOf, SubscriptionScope } from '@batuta/contracts';
import { eventSubscription } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { KeyRing } from '@batuta/secrets';
import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { signingKeys } from '../event-subscriptions/event-secret';
import { findSubscription, lockSubscription } from '../event-subscriptions/event-subscription.repository';
import { lockSubscriber } from '../event-subscriptions/lock-subscriber';
import { findDeliveryPage } from './delivery-page.repository';
import { redeliver } from './delivery.repository';
import { EventSender } from './event-sender';
import { SendBounds } from './send-bounds';

/** Test events are sent while somebody waits: a few at a time, beside the deliveries. */
const TEST_LIMITS = { total: 16, perCompany: 2, perSubscription: 1 };
/** Maximum number of dead deliveries that one request sends again, because they are changed in one transaction. */
const MAX_REDELIVERED = 10_000;

/** What administrators do with the deliveries of a subscription. Every method throws NOT_FOUND for a subscription of another company. */
@Injectable()
export class EventDeliveryService {
  private readonly tests = new SendBounds(TEST_LIMITS);

  constructor(
    private readonly store: Store,
    private readonly keys: KeyRing,
    private readonly sender: EventSender,
  ) {}

  /** The newest deliveries, or those before a cursor; throws what `findDeliveryPage` throws. */
  async findPage({ companyID, ...page }: RequestOf<typeof eventSubscription.deliveries>): Promise<EventDeliveryPage> {
    await findSubscription(this.store, companyID, page.id);
    return findDeliveryPage(this.store, page);
  }

  /**
   * Makes dead deliveries, or only that of `instanceID`, wait again from their first attempt: at most MAX_REDELIVERED, the oldest first. Returns
   * their number, 0 when none is dead. Throws CONFLICT for a subscription that is switched off, because its waiting deliveries would end, and
   * what `lockSubscriber` throws. Writes an audit event.
   */
  redeliver(scope: SubscriptionScope, id: string, instanceID?: string): Promise<number> {
    const { companyID } = scope;
    return this.store.transaction(async (tx) => {
      await lockSubscriber(tx, scope);
      const row = await lockSubscription(tx, companyID, id);
      if (row.enabled !== 1) throw new ApiError('CONFLICT', 'The subscription is switched off; switch it on first.');
      const redelivered = await redeliver(tx, id, instanceID, MAX_REDELIVERED);
      recordAction(tx, {
        action: 'subscription.redeliver',
        objectID: id,
        companyID,
        ...(row.process_id !== null && { processID: row.process_id }),
        detail: {
          host: new URL(row.url).host,
          deliveries: redelivered,
          ...(instanceID !== undefined && { instanceID }),
        },
      });
      return redelivered;
    });
  }

  /**
   * Sends a test event, also to a subscription that is switched off, and waits for the answer; stores nothing. Throws CONFLICT while another test of
   * the subscription, two of the company, or 16 in all are in flight at this replica.
   */
  async sendTest(companyID: string, id: string): Promise<EventTestResult> {
    const row = await findSubscription(this.store, companyID, id);
    const place = { subscriptionID: id, companyID };
    if (!this.tests.take(place)) throw new ApiError('CONFLICT', 'Another test is in progress; try again.');
    try {
      const body = JSON.stringify({
        type: 'test',
        timestamp: new Date().toISOString(),
        data: { subscriptionID: id, companyID },
      });
      const keys = signingKeys(this.keys, id, row);
      const { status, error, durationMs } = await this.sender.send(row.url, { id: `evt_test_${uuid()}`, body }, keys);
      return { ok: error === null, status, error, durationMs };
    } finally {
      this.tests.release(place);
    }
  }
}
