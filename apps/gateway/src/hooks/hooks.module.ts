import { Rpc } from '@batuta/messaging';
import { Module } from '@nestjs/common';
import { AccessLookups } from '../authorization/access-lookups';
import { AuthorizationModule } from '../authorization/authorization.module';
import { GatewayClock } from '../common/gateway-clock';
import { GATEWAY_CONFIG } from '../common/gateway-config.token';
import { GatewayMetrics } from '../common/gateway-metrics';
import type { GatewayConfig } from '../config';
import { RateModule } from '../rate/rate.module';
import { StartClient } from '../start/start.client';
import { StartModule } from '../start/start.module';
import { HooksController } from './hook.controller';
import { HookService, type HookParts } from './hook.service';
import { Places } from './places';
import { WaitingCalls } from './waiting';

type Dependencies = [Rpc, AccessLookups, GatewayClock, GatewayMetrics, StartClient, WaitingCalls, Places];

@Module({
  imports: [AuthorizationModule, RateModule, StartModule],
  controllers: [HooksController],
  providers: [
    {
      provide: Places,
      inject: [Rpc, GATEWAY_CONFIG],
      useFactory: (rpc: Rpc, config: GatewayConfig) => new Places(rpc, config.READ_TIMEOUT_MS),
    },
    {
      provide: WaitingCalls,
      inject: [Rpc, GatewayClock, GATEWAY_CONFIG, GatewayMetrics],
      useFactory: (rpc: Rpc, clock: GatewayClock, config: GatewayConfig, metrics: GatewayMetrics) => {
        const limits = { mostCalls: config.MOST_WAITING_CALLS, closeMilliseconds: config.CLOSE_TIMEOUT_MS };
        const waiting = new WaitingCalls(rpc, clock, limits);
        metrics.watchWaiting(() => waiting.size);
        return waiting;
      },
    },
    {
      provide: HookService,
      inject: [Rpc, AccessLookups, GatewayClock, GatewayMetrics, StartClient, WaitingCalls, Places],
      useFactory: (...[rpc, lookups, clock, metrics, starts, waiting, places]: Dependencies) =>
        new HookService({ rpc, lookups, clock, metrics, starts, waiting, places } satisfies HookParts),
    },
  ],
})
export class HooksModule {}
