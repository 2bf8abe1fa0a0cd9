import { Module } from '@nestjs/common';
import { CompanyAuditController } from './audit.controller';

@Module({ controllers: [CompanyAuditController] })
export class AuditModule {}
