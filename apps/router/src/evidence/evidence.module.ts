import { Module } from '@nestjs/common';
import { SessionModule } from '../sessions/session.module';
import { EvidenceForwarder } from './evidence-forwarder';

@Module({ imports: [SessionModule], providers: [EvidenceForwarder], exports: [EvidenceForwarder] })
export class EvidenceModule {}
