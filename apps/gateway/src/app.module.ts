import { FailureThrottle } from '@batuta/auth';
import type { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { HealthController, Metrics, READINESS, type ReadinessCheck } from '@batuta/observability';
import { Module, type DynamicModule } from '@nestjs/common';
import { AccountController } from './account/account.controller';
import { AccessLookups } from './access/lookups';
import { Asking } from './asking';
import { Clock } from './clock';
import type { GatewayConfig } from './config';
import { EnvironmentsController } from './environments/environments.controller';
import { EnvironmentsRepository } from './environments/environments.repository';
import { EventsController } from './events/events.controller';
import { Streams } from './events/streams';
import { GatewayMetrics } from './http/gateway-metrics';
import { HooksController } from './hooks/hook.controller';
import { HookService } from './hooks/hook.service';
import { Places } from './hooks/places';
import { WaitingCalls } from './hooks/waiting';
import { InstancesController } from './instances/instances.controller';
import { ProcessesController } from './processes/processes.controller';
import { ProcessesRepository } from './processes/processes.repository';
import { RateLimiter } from './rate/rate-limiter';
import { SchedulesController } from './schedules/schedules.controller';
import { StartController } from './start/start.controller';
import { StartService } from './start/start.service';

/** What `createGateway` opens and closes. */
export interface GatewayParts {
  config: GatewayConfig;
  store: Store;
  rpc: Rpc;
  clock: Clock;
  metrics: Metrics;
  gatewayMetrics: GatewayMetrics;
  limiter: RateLimiter;
}

@Module({})
export class GatewayModule {
  static of({ config, store, rpc, clock, metrics, gatewayMetrics, limiter }: GatewayParts): DynamicModule {
    const readiness: ReadinessCheck[] = [
      { name: 'database', check: () => store.ping() },
      { name: 'nats', check: () => rpc.ping() },
    ];
    const milliseconds = config.READ_TIMEOUT_MS;
    const starts = new StartService(rpc, clock, gatewayMetrics, config.START_TIMEOUT_MS);
    const places = new Places(rpc, milliseconds);
    const waiting = new WaitingCalls(rpc, clock, {
      mostCalls: config.MOST_WAITING_CALLS,
      closeMilliseconds: config.CLOSE_TIMEOUT_MS,
    });
    gatewayMetrics.watchWaiting(() => waiting.size);
    const lookups = new AccessLookups(store, milliseconds);
    const hooks = new HookService({ rpc, lookups, clock, metrics: gatewayMetrics, starts, waiting, places });
    return {
      module: GatewayModule,
      controllers: [
        HealthController,
        AccountController,
        EnvironmentsController,
        ProcessesController,
        StartController,
        InstancesController,
        EventsController,
        SchedulesController,
        HooksController,
      ],
      providers: [
        Streams,
        { provide: READINESS, useValue: readiness },
        { provide: Metrics, useValue: metrics },
        { provide: GatewayMetrics, useValue: gatewayMetrics },
        { provide: Rpc, useValue: rpc },
        { provide: Clock, useValue: clock },
        { provide: RateLimiter, useValue: limiter },
        { provide: AccessLookups, useValue: lookups },
        { provide: FailureThrottle, useValue: new FailureThrottle(config.FAILED_CREDENTIALS_PER_MINUTE) },
        { provide: EnvironmentsRepository, useValue: new EnvironmentsRepository(store, milliseconds) },
        { provide: ProcessesRepository, useValue: new ProcessesRepository(store, milliseconds) },
        { provide: Asking, useValue: new Asking(rpc, clock, milliseconds) },
        { provide: StartService, useValue: starts },
        // For what they do when the gateway closes.
        { provide: Places, useValue: places },
        { provide: WaitingCalls, useValue: waiting },
        { provide: HookService, useValue: hooks },
      ],
    };
  }
}
