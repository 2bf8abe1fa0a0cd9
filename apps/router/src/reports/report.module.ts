import { Module } from '@nestjs/common';
import { DispatchModule } from '../dispatch/dispatch.module';
import { AgentSessionModule } from '../sessions/session.module';
import { FailingReports } from './failing-reports';
import { ReportForwarder } from './report-forwarder';

@Module({
  imports: [AgentSessionModule, DispatchModule],
  providers: [FailingReports, ReportForwarder],
  exports: [ReportForwarder],
})
export class ReportModule {}
