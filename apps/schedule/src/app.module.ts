import { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { HealthController, Metrics, READINESS, type ReadinessCheck } from '@batuta/observability';
import { Module, type DynamicModule } from '@nestjs/common';
import { ScheduleHandlers } from './handlers';
import { ScheduleService } from './schedules/schedule.service';

export interface ScheduleParts {
  store: Store;
  rpc: Rpc;
  metrics: Metrics;
  schedules: ScheduleService;
}

@Module({})
export class ScheduleModule {
  static of({ store, rpc, metrics, schedules }: ScheduleParts): DynamicModule {
    const readiness: ReadinessCheck[] = [
      { name: 'database', check: () => store.ping() },
      { name: 'nats', check: () => rpc.ping() },
    ];
    return {
      module: ScheduleModule,
      controllers: [ScheduleHandlers, HealthController],
      providers: [
        { provide: Store, useValue: store },
        { provide: Metrics, useValue: metrics },
        { provide: READINESS, useValue: readiness },
        { provide: ScheduleService, useValue: schedules },
      ],
    };
  }
}
