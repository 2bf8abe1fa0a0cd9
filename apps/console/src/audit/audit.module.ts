import { Module } from '@nestjs/common';
import { AuditFeedController } from './feed.controller';
import { AuditFeedService } from './feed.service';
import { AuditSweeps } from './audit.sweeps';
import { CompanyAuditController } from './audit.controller';

@Module({
  controllers: [AuditFeedController, CompanyAuditController],
  providers: [AuditFeedService, AuditSweeps],
})
export class AuditModule {}
