import { Module } from '@nestjs/common';
import { AgentSessionModule } from '../sessions/session.module';
import { EvidenceForwarder } from './evidence-forwarder';

@Module({ imports: [AgentSessionModule], providers: [EvidenceForwarder], exports: [EvidenceForwarder] })
export class EvidenceModule {}
