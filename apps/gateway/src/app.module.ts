import { FailureThrottle } from '@batuta/auth';
import type { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { HealthController, Metrics, READINESS, type ReadinessCheck } from '@batuta/observability';
import { Module, type DynamicModule } from '@nestjs/common';
import { AccountController } from './account/account.controller';
import { AccessLookups } from './access/lookups';
import { Asking } from './asking';
import { Clock } from './clock';
import { GATEWAY_CONFIG } from './common/gateway-config.token';
import type { GatewayConfig } from './config';
import { EnvironmentsController } from './environments/environments.controller';
import { EnvironmentsRepository } from './environments/environments.repository';
import { EventController } from './events/event.controller';
import { EventStreams } from './events/event-streams';
import { GatewayMetrics } from './http/gateway-metrics';
import { HookCallReader } from './hooks/call/hook-call.reader';
import { HookController } from './hooks/call/hook.controller';
import { HookService } from './hooks/call/hook.service';
import { PermitPool } from './hooks/permits/permit-pool';
import { WaitService } from './hooks/waiting/wait.service';
import { WaitingCallers } from './hooks/waiting/waiting-callers';
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
    const lookups = new AccessLookups(store, milliseconds);
    return {
      module: GatewayModule,
      controllers: [
        HealthController,
        AccountController,
        EnvironmentsController,
        ProcessesController,
        StartController,
        InstancesController,
        EventController,
        SchedulesController,
        HookController,
      ],
      providers: [
        EventStreams,
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
        { provide: GATEWAY_CONFIG, useValue: config },
        HookCallReader,
        HookService,
        PermitPool,
        WaitService,
        WaitingCallers,
      ],
    };
  }
}
