import { LargeAnswers } from '@batuta/http';
import { Global, Module, type DynamicModule } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { BodyMemory } from '../http/body-memory';
import { GatewayClock } from './gateway-clock';
import { GatewayMetrics } from './gateway.metrics';
import { IdempotentRequests } from './idempotent-requests';

/**
 * Providers for every feature module: settings, clock, metrics, repeatable requests, and the budget of large answers.
 */
@Global()
@Module({})
export class CommonModule {
  static forRoot(config: GatewayConfig, clock: GatewayClock): DynamicModule {
    return {
      module: CommonModule,
      providers: [
        { provide: GATEWAY_CONFIG, useValue: config },
        { provide: GatewayClock, useValue: clock },
        GatewayMetrics,
        IdempotentRequests,
        BodyMemory,
        { provide: LargeAnswers, useFactory: () => new LargeAnswers() },
      ],
      exports: [GATEWAY_CONFIG, GatewayClock, GatewayMetrics, IdempotentRequests, BodyMemory, LargeAnswers],
    };
  }
}
