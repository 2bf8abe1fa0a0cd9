import { DatabaseClock, Store } from '@batuta/database';
import { JsonThread } from '@batuta/json';
import { Rpc } from '@batuta/messaging';
import {
  HealthController,
  Liveness,
  LOGGER,
  Metrics,
  READINESS_CHECKS,
  StopNotice,
  type ReadinessCheck,
} from '@batuta/observability';
import { Module, type DynamicModule, type OnApplicationBootstrap } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { GaugeRounds } from './gauge-rounds';
import { PeriodicTasks } from './periodic-tasks';
import type { ServiceResources } from './service-resources';

/** Interval of the readings of the database's clock. Clocks drift by less than a millisecond in that time, but a new database server has another clock. */
const CLOCK_REFRESH_INTERVAL_MS = 5_000;

/**
 * The global module of a service. It provides Store, DatabaseClock, Rpc, Metrics, Liveness, LOGGER, JsonThread, PeriodicTasks, GaugeRounds and
 * StopNotice to every feature module, and has the health and metrics routes.
 */
@Module({})
export class ServiceModule implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly databaseClock: DatabaseClock,
    metrics: Metrics,
  ) {
    metrics.gauge(
      'batuta_periodic_task_failing_seconds',
      'How long the periodic task that fails longest has failed; 0 = none fails.',
      () => tasks.longestFailingMs / 1_000,
    );
  }

  onApplicationBootstrap(): void {
    this.tasks.every('database clock', CLOCK_REFRESH_INTERVAL_MS, () => this.databaseClock.refresh());
  }

  static forRoot({ logger, store, databaseClock, rpc, metrics, jsonThread }: ServiceResources): DynamicModule {
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
        GaugeRounds,
        { provide: LOGGER, useValue: logger },
        { provide: Store, useValue: store },
        { provide: DatabaseClock, useValue: databaseClock },
        Liveness,
        StopNotice,
        { provide: Rpc, useValue: rpc },
        { provide: Metrics, useValue: metrics },
        { provide: JsonThread, useValue: jsonThread },
        { provide: READINESS_CHECKS, useValue: readiness },
      ],
      exports: [
        PeriodicTasks,
        GaugeRounds,
        LOGGER,
        Store,
        DatabaseClock,
        Liveness,
        StopNotice,
        Rpc,
        Metrics,
        JsonThread,
      ],
    };
  }
}
