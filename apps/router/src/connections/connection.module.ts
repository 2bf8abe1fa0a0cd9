import { Module } from '@nestjs/common';
import { DispatchModule } from '../dispatch/dispatch.module';
import { EvidenceModule } from '../evidence/evidence.module';
import { ReportModule } from '../reports/report.module';
import { AgentSessionModule } from '../sessions/session.module';
import { FrameHandler } from './frame-handler';
import { SessionOpener } from './session-opener';
import { SessionRegistrar } from './session-registrar';
import { UpgradeHandler } from './upgrade-handler';

@Module({
  imports: [AgentSessionModule, DispatchModule, ReportModule, EvidenceModule],
  providers: [FrameHandler, SessionOpener, SessionRegistrar, UpgradeHandler],
})
export class ConnectionModule {}
