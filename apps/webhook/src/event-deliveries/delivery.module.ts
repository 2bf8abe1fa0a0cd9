import { Module } from '@nestjs/common';
import { EventSubscriptionModule } from '../event-subscriptions/event-subscription.module';
import { DeliveryAttempts } from './delivery-attempts';
import { DeliveryGauges } from './delivery-gauges';
import { DeliveryWorker } from './delivery-worker';
import { EventDeliveryHandlers } from './delivery.handlers';
import { DeliveryMetrics } from './delivery.metrics';
import { EventDeliveryService } from './delivery.service';
import { DeliverySweeps } from './delivery.sweeps';
import { EventSender } from './event-sender';

/** Sends events to the URLs of event subscriptions: an instance has ended, or a firing has started no instance. */
@Module({
  imports: [EventSubscriptionModule],
  controllers: [EventDeliveryHandlers],
  providers: [
    EventSender,
    EventDeliveryService,
    DeliveryMetrics,
    DeliveryAttempts,
    DeliveryWorker,
    DeliverySweeps,
    DeliveryGauges,
  ],
})
export class EventDeliveryModule {}
