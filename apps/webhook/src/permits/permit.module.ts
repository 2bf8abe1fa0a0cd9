import { Module } from '@nestjs/common';
import { PermitHandlers } from './permit.handlers';
import { PermitMetrics } from './permit.metrics';
import { PermitService } from './permit.service';
import { PermitSweeps } from './permit.sweeps';

@Module({ controllers: [PermitHandlers], providers: [PermitService, PermitSweeps, PermitMetrics] })
export class PermitModule {}
