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
    return { subscriptions: await this.subscriptions.listOfCompany(companyID) };
  }

  @Handles(eventSubscription.create)
  create({ draft, ...scope }: Request['create']): Reply['create'] {
    return this.subscriptions.create(scope, draft);
  }

  @Handles(eventSubscription.change)
  change({ id, change, ...scope }: Request['change']): Reply['change'] {
    return this.subscriptions.change(scope, id, change);
  }

  @Handles(eventSubscription.remove)
  async remove({ id, ...scope }: Request['remove']): Reply['remove'] {
    await this.subscriptions.remove(scope, id);
    return { ok: true };
  }

  @Handles(eventSubscription.rotateSecret)
  rotateSecret({ id, ...scope }: Request['rotateSecret']): Reply['rotateSecret'] {
    return this.subscriptions.rotateSecret(scope, id);
  }

  @OnNotification(notifications.processDeleted)
  async processDeleted({ processID }: { processID: string }): Promise<void> {
    await removeOrphanedSubscriptions(this.store, processID);
  }
}
