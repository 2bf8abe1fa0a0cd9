import { eventSubscription, type RepliesOf, type RequestsOf } from '@batuta/contracts';
import { Handles } from '@batuta/messaging';
import { Controller } from '@nestjs/common';
import { EventDeliveryService } from './delivery.service';

type Request = RequestsOf<typeof eventSubscription>;
type Reply = RepliesOf<typeof eventSubscription>;

/** Requests of the console about the deliveries of an event subscription. */
@Controller()
export class EventDeliveryHandlers {
  constructor(private readonly eventDeliveries: EventDeliveryService) {}

  @Handles(eventSubscription.test)
  sendTest({ companyID, id }: Request['test']): Reply['test'] {
    return this.eventDeliveries.sendTest(companyID, id);
  }

  @Handles(eventSubscription.deliveries)
  findPage(request: Request['deliveries']): Reply['deliveries'] {
    return this.eventDeliveries.findPage(request);
  }

  @Handles(eventSubscription.redeliver)
  async redeliver({ id, instanceID, ...scope }: Request['redeliver']): Reply['redeliver'] {
    return { redelivered: await this.eventDeliveries.redeliver(scope, id, instanceID) };
  }
}
