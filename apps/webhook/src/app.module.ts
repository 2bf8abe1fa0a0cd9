import { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { HealthController, Metrics, READINESS, type ReadinessCheck } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import { Module, type DynamicModule } from '@nestjs/common';
import { CaptureHandlers } from './captures/capture.handlers';
import { CaptureStarts } from './captures/capture-starts';
import { PreviewService } from './captures/preview.service';
import { StoredCaptures } from './captures/stored-captures';
import { CallHandlers } from './calls/call.handlers';
import { CaptureService } from './calls/capture.service';
import { MappedStarts } from './calls/mapped-starts';
import { MappingCache } from './calls/mapping-cache';
import { SignatureRules } from './calls/signature-rules';
import { StartService } from './calls/start.service';
import { WaitingService } from './calls/waiting.service';
import { WEBHOOK_CONFIG, type WebhookConfig } from './config';
import { WebhookMetrics } from './metrics';
import { MappingHandlers } from './mapping/mapping.handlers';
import { MappingService } from './mapping/mapping.service';
import { OriginHandlers } from './origins/origin.handlers';
import { OriginService } from './origins/origin.service';
import { ProcessListener } from './process.listener';

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
      { name: 'database', check: () => store.ping() },
      { name: 'nats', check: () => rpc.ping() },
    ];
    return {
      module: WebhookModule,
      controllers: [CallHandlers, ProcessListener, OriginHandlers, MappingHandlers, CaptureHandlers, HealthController],
      providers: [
        { provide: Store, useValue: store },
        { provide: Rpc, useValue: rpc },
        { provide: KeyRing, useValue: keys },
        { provide: Metrics, useValue: metrics },
        { provide: WebhookMetrics, useValue: new WebhookMetrics(metrics, store) },
        { provide: WEBHOOK_CONFIG, useValue: config },
        { provide: READINESS, useValue: readiness },
        SignatureRules,
        MappingCache,
        MappedStarts,
        CaptureService,
        StartService,
        WaitingService,
        OriginService,
        MappingService,
        StoredCaptures,
        PreviewService,
        CaptureStarts,
      ],
    };
  }
}
