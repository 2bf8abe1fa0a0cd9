import { Module } from '@nestjs/common';
import { DispatchModule } from '../dispatch/dispatch.module';
import { AgentSessionModule } from '../sessions/session.module';
import { ReportForwarder } from './report-forwarder';

@Module({ imports: [AgentSessionModule, DispatchModule], providers: [ReportForwarder], exports: [ReportForwarder] })
export class ReportModule {}
