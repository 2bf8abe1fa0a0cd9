import { Module } from '@nestjs/common';
import { DeliveryAttempts } from '../event-deliveries/delivery-attempts';
import { DeliveryGauges } from '../event-deliveries/delivery-gauges';
import { DeliveryWorker } from '../event-deliveries/delivery-worker';
import { DeliveryMetrics } from '../event-deliveries/delivery.metrics';
import { DeliveryService } from '../event-deliveries/delivery.service';
import { DeliverySweeps } from '../event-deliveries/delivery.sweeps';
import { EventSender } from '../event-deliveries/event-sender';
import { EventAddresses } from './event-address';
import { EventSubscriptionHandlers } from './event-subscription.handlers';
import { EventSubscriptionService } from './event-subscription.service';
import { EventSubscriptionSweeps } from './event-subscription.sweeps';

/** Sends the ends of instances to the addresses that companies subscribe. */
@Module({
  controllers: [EventSubscriptionHandlers],
  providers: [
    EventAddresses,
    EventSubscriptionService,
    EventSubscriptionSweeps,
    EventSender,
    DeliveryService,
    DeliveryMetrics,
    DeliveryAttempts,
    DeliveryWorker,
    DeliverySweeps,
    DeliveryGauges,
  ],
})
export class EventSubscriptionModule {}
