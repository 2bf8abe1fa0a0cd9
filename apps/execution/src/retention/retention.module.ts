import { Module } from '@nestjs/common';
import { RetentionSweeps } from './retention.sweeps';

@Module({ providers: [RetentionSweeps] })
export class RetentionModule {}
