import { Module } from '@nestjs/common';
import { EventAddresses } from './event-address';
import { EventSubscriptionHandlers } from './event-subscription.handlers';
import { EventSubscriptionService } from './event-subscription.service';
import { EventSubscriptionSweeps } from './event-subscription.sweeps';

/** The event subscriptions of companies. */
@Module({
  controllers: [EventSubscriptionHandlers],
  providers: [EventAddresses, EventSubscriptionService, EventSubscriptionSweeps],
  exports: [EventAddresses],
})
export class EventSubscriptionModule {}
