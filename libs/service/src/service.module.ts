import { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { HealthController, LOGGER, Metrics, READINESS, type ReadinessCheck } from '@batuta/observability';
import { Module, type DynamicModule } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { PeriodicTasks } from './periodic-tasks';
import type { ServiceResources } from './service-resources';

/** What every feature module of a service may inject: Store, Rpc, Metrics, LOGGER and PeriodicTasks; health and metrics routes. */
@Module({})
export class ServiceModule {
  static forRoot({ logger, store, rpc, metrics }: ServiceResources): DynamicModule {
    const readiness: ReadinessCheck[] = [
      { name: 'database', check: () => store.ping() },
      { name: 'nats', check: () => rpc.ping() },
    ];
    return {
      module: ServiceModule,
      global: true,
      imports: [ScheduleModule.forRoot()],
      controllers: [HealthController],
      providers: [
        PeriodicTasks,
        { provide: LOGGER, useValue: logger },
        { provide: Store, useValue: store },
        { provide: Rpc, useValue: rpc },
        { provide: Metrics, useValue: metrics },
        { provide: READINESS, useValue: readiness },
      ],
      exports: [PeriodicTasks, LOGGER, Store, Rpc, Metrics],
    };
  }
}
