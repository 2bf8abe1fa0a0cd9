import { Module } from '@nestjs/common';
import { OverviewModule } from '../overview/overview.module';
import { CreditController } from './credit.controller';

@Module({ imports: [OverviewModule], controllers: [CreditController] })
export class CreditModule {}
