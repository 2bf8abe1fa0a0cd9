import { Module } from '@nestjs/common';
import { AbilityModule } from '../abilities/ability.module';
import { ClaimModule } from '../claims/claim.module';
import { CreditModule } from '../credits/credit.module';
import { FlowModule } from '../flows/flow.module';
import { AcceptanceTransaction } from './acceptance-transaction';
import { AcceptanceHandlers } from './acceptance.handlers';
import { AcceptanceService } from './acceptance.service';
import { DryRunService } from './dry-run.service';
import { HandOverFactory } from './hand-over';
import { QueueLimit } from './queue-limit';
import { QueueLimitSweeps } from './queue-limit.sweeps';
import { StartCharging } from './start-charging';

@Module({
  imports: [AbilityModule, ClaimModule, CreditModule, FlowModule],
  controllers: [AcceptanceHandlers],
  providers: [
    AcceptanceService,
    AcceptanceTransaction,
    StartCharging,
    HandOverFactory,
    DryRunService,
    QueueLimit,
    QueueLimitSweeps,
  ],
})
export class AcceptanceModule {}
