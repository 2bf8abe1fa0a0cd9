import { AdaptiveConcurrency, LargeAnswers } from '@batuta/http';
import { Metrics } from '@batuta/observability';
import { Global, Module, type DynamicModule } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { BodyMemory } from '../http/body-memory';
import { GatewayClock } from './gateway-clock';
import { GatewayMetrics } from './gateway.metrics';
import { IdempotentRequests } from './idempotent-requests';

/**
 * A company is limited only while it has more calls at a time than this at one replica, on average: more than the connections of a usual
 * client.
 */
const LARGE_DEMAND = 64;

/**
 * Providers for every feature module: settings, clock, metrics, repeatable requests, the limits of memory for bodies and for large answers,
 * and the limit of calls in progress.
 */
@Global()
@Module({})
export class CommonModule {
  static forRoot(config: GatewayConfig, clock: GatewayClock, answers: LargeAnswers): DynamicModule {
    return {
      module: CommonModule,
      providers: [
        { provide: GATEWAY_CONFIG, useValue: config },
        { provide: GatewayClock, useValue: clock },
        GatewayMetrics,
        IdempotentRequests,
        BodyMemory,
        {
          provide: AdaptiveConcurrency,
          inject: [Metrics],
          useFactory: (metrics: Metrics) => AdaptiveConcurrency.watchedBy(metrics, LARGE_DEMAND),
        },
        { provide: LargeAnswers, useValue: answers },
      ],
      exports: [
        GATEWAY_CONFIG,
        GatewayClock,
        GatewayMetrics,
        IdempotentRequests,
        BodyMemory,
        AdaptiveConcurrency,
        LargeAnswers,
      ],
    };
  }
}
