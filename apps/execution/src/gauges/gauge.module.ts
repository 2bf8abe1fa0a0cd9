import { Module } from '@nestjs/common';
import { ExecutionGauges } from './execution-gauges';

@Module({ providers: [ExecutionGauges] })
export class GaugeModule {}
