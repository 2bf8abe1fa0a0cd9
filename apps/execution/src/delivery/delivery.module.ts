import { Module } from '@nestjs/common';
import { AbilityModule } from '../abilities/ability.module';
import { AnswerModule } from '../answers/answer.module';
import { ClaimModule } from '../claims/claim.module';
import { FlowModule } from '../flows/flow.module';
import { InstanceModule } from '../instances/instance.module';
import { AdoptionService } from './adoption.service';
import { AgentKeys } from './agent-keys';
import { ClaimBudget } from '../claims/claim-share';
import { ClaimTransaction } from './claim-transaction';
import { ClaimService } from './claim.service';
import { DeliveryHandlers } from './delivery.handlers';
import { GrantService } from './grant.service';
import { InstanceOpener } from './instance-opener';
import { LostInstanceService } from './lost-instance.service';
import { LostInstanceSweeps } from './lost-instance.sweeps';
import { QueuePages } from './queue-pages';
import { ReleaseService } from './release.service';
import { ReportService } from './report.service';

@Module({
  imports: [AbilityModule, AnswerModule, ClaimModule, FlowModule, InstanceModule],
  controllers: [DeliveryHandlers],
  providers: [
    AgentKeys,
    ClaimService,
    ClaimTransaction,
    ClaimBudget,
    InstanceOpener,
    QueuePages,
    GrantService,
    ReleaseService,
    AdoptionService,
    ReportService,
    LostInstanceService,
    LostInstanceSweeps,
  ],
})
export class DeliveryModule {}
