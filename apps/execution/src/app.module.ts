import { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { HealthController, Metrics, READINESS, type ReadinessCheck } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import { Module, type DynamicModule } from '@nestjs/common';
import { EXECUTION_CONFIG, type ExecutionConfig } from './config';
import { AwaitedService } from './answer/awaited.service';
import { ControlService } from './control/control.service';
import { CreditService } from './credit/credit.service';
import { CallerHandlers } from './handlers';
import { ReadingService } from './instance/reading.service';
import { Changes } from './instance/changes';
import { ExecutionMetrics } from './metrics';
import { StartService } from './start/start.service';
import { ClaimService } from './delivery/claim.service';
import { ReportService } from './delivery/report.service';
import { DeliveryHandlers } from './delivery/delivery.handlers';
import { Flows } from './delivery/flows';
import { Takers } from './delivery/takers';
import { DeliveryService } from './delivery/delivery.service';

export interface ExecutionParts {
  config: ExecutionConfig;
  store: Store;
  rpc: Rpc;
  metrics: Metrics;
}

@Module({})
export class ExecutionModule {
  static of({ config, store, rpc, metrics }: ExecutionParts): DynamicModule {
    const readiness: ReadinessCheck[] = [
      { name: 'database', check: () => store.ping() },
      { name: 'nats', check: () => rpc.ping() },
    ];
    return {
      module: ExecutionModule,
      controllers: [CallerHandlers, DeliveryHandlers, HealthController],
      providers: [
        { provide: EXECUTION_CONFIG, useValue: config },
        { provide: Store, useValue: store },
        { provide: Rpc, useValue: rpc },
        { provide: Metrics, useValue: metrics },
        { provide: KeyRing, useValue: new KeyRing(config.SECRET_KEYS) },
        { provide: READINESS, useValue: readiness },
        ExecutionMetrics,
        Changes,
        StartService,
        ControlService,
        CreditService,
        ReadingService,
        AwaitedService,
        ClaimService,
        Flows,
        Takers,
        ReportService,
        DeliveryService,
      ],
    };
  }
}
