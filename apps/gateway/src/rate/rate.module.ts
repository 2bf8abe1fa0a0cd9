import { Store } from '@batuta/database';
import { AllowanceRepository, RateLimiter } from '@batuta/rate';
import { Module } from '@nestjs/common';
import { GatewayClock } from '../common/gateway-clock';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { RateRefusals } from './rate-refusals';
import { RateSweeps } from './rate.sweeps';

const rateLimiter = {
  provide: RateLimiter,
  inject: [Store, GatewayClock, GATEWAY_CONFIG],
  useFactory: (store: Store, { now }: GatewayClock, { READ_TIMEOUT_MS }: GatewayConfig) =>
    new RateLimiter(new AllowanceRepository(store, READ_TIMEOUT_MS), now),
};

@Module({ providers: [rateLimiter, RateRefusals, RateSweeps], exports: [RateLimiter, RateRefusals] })
export class RateModule {}
