import { Module } from '@nestjs/common';
import { EventSubscriptionController } from './event-subscription.controller';
import { EventSubscriptionAccessService } from './event-subscription-access.service';

@Module({ controllers: [EventSubscriptionController], providers: [EventSubscriptionAccessService] })
export class EventSubscriptionModule {}
