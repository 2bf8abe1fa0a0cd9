import { Module } from '@nestjs/common';
import { EvidenceModule } from '../evidence/evidence.module';
import { RetentionSweeps } from './retention.sweeps';

@Module({ imports: [EvidenceModule], providers: [RetentionSweeps] })
export class RetentionModule {}
