import { Module } from '@nestjs/common';
import { AllowanceRepository } from './allowance.repository';
import { RateLimiter } from './rate-limiter';
import { RateSweeps } from './rate.sweeps';

@Module({ providers: [AllowanceRepository, RateLimiter, RateSweeps], exports: [RateLimiter] })
export class RateModule {}
