import { Module } from '@nestjs/common';
import { DispatchModule } from '../dispatch/dispatch.module';
import { SessionModule } from '../sessions/session.module';
import { ReportForwarder } from './report-forwarder';

@Module({ imports: [SessionModule, DispatchModule], providers: [ReportForwarder], exports: [ReportForwarder] })
export class ReportModule {}
