import { KeyRing } from '@batuta/secrets';
import { ServiceModule, type ServiceResources } from '@batuta/service';
import { Module, type DynamicModule } from '@nestjs/common';
import { CaptureModule } from './captures/capture.module';
import { WEBHOOK_CONFIG, type WebhookConfig } from './config';
import { EventDeliveryModule } from './event-deliveries/delivery.module';
import { EventSubscriptionModule } from './event-subscriptions/event-subscription.module';
import { MappingModule } from './mapping/mapping.module';
import { OriginModule } from './origins/origin.module';
import { PermitModule } from './permits/permit.module';
import { WebhookStartModule } from './starts/webhook-start.module';

/** Global, so that every feature module may inject the settings and the key ring. */
@Module({})
export class WebhookModule {
  static forRoot(config: WebhookConfig, resources: ServiceResources): DynamicModule {
    return {
      module: WebhookModule,
      global: true,
      imports: [
        ServiceModule.forRoot(resources),
        OriginModule,
        MappingModule,
        CaptureModule,
        WebhookStartModule,
        PermitModule,
        EventSubscriptionModule,
        EventDeliveryModule,
      ],
      providers: [
        { provide: WEBHOOK_CONFIG, useValue: config },
        { provide: KeyRing, useValue: new KeyRing(config.SECRET_KEYS) },
      ],
      exports: [WEBHOOK_CONFIG, KeyRing],
    };
  }
}
