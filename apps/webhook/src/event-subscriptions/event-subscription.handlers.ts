import { eventSubscription, notifications, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Handles, OnNotification } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { EventSubscriptionService } from './event-subscription.service';
import { removeOrphanedSubscriptions } from './orphaned-subscriptions';

type Request = RequestsOf<typeof eventSubscription>;
type Reply = RepliesOf<typeof eventSubscription>;

/** Requests of the console about event subscriptions, and notifications about their processes. */
@Controller()
export class EventSubscriptionHandlers {
  constructor(
    private readonly subscriptions: EventSubscriptionService,
    private readonly store: Store,
  ) {}

  @Handles(eventSubscription.list)
  async list({ companyID }: Request['list']): Reply['list'] {
    return { subscriptions: await this.subscriptions.ofCompany(companyID) };
  }

  @Handles(eventSubscription.create)
  create({ companyID, draft }: Request['create']): Reply['create'] {
    return this.subscriptions.create(companyID, draft);
  }

  @Handles(eventSubscription.change)
  change({ companyID, id, change }: Request['change']): Reply['change'] {
    return this.subscriptions.change(companyID, id, change);
  }

  @Handles(eventSubscription.remove)
  async remove({ companyID, id }: Request['remove']): Reply['remove'] {
    await this.subscriptions.remove(companyID, id);
    return { ok: true };
  }

  @Handles(eventSubscription.rotateSecret)
  rotateSecret({ companyID, id }: Request['rotateSecret']): Reply['rotateSecret'] {
    return this.subscriptions.rotateSecret(companyID, id);
  }

  @OnNotification(notifications.processDeleted)
  async processDeleted({ processID }: { processID: string }): Promise<void> {
    await removeOrphanedSubscriptions(this.store, processID);
  }
}
