import { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { HealthController, Metrics, READINESS, type ReadinessCheck } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import { Module, type DynamicModule } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from './config';
import { OriginHandlers } from './origins/origin.handlers';
import { OriginService } from './origins/origin.service';

export interface WebhookParts {
  config: WebhookConfig;
  store: Store;
  rpc: Rpc;
  keys: KeyRing;
  metrics: Metrics;
}

@Module({})
export class WebhookModule {
  static of({ config, store, rpc, keys, metrics }: WebhookParts): DynamicModule {
    const readiness: ReadinessCheck[] = [
      { name: 'database', check: () => store.answers() },
      { name: 'nats', check: () => rpc.answers() },
    ];
    return {
      module: WebhookModule,
      controllers: [OriginHandlers, HealthController],
      providers: [
        { provide: Store, useValue: store },
        { provide: Rpc, useValue: rpc },
        { provide: KeyRing, useValue: keys },
        { provide: Metrics, useValue: metrics },
        { provide: WEBHOOK_CONFIG, useValue: config },
        { provide: READINESS, useValue: readiness },
        OriginService,
      ],
    };
  }
}
