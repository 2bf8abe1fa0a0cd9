import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { RateModule } from '../rate/rate.module';
import { StartModule } from '../start/start.module';
import { HookCallReader } from './call/hook-call-reader';
import { HooksController } from './call/hook.controller';
import { HookService } from './call/hook.service';
import { PermitPool } from './permits/permit-pool';
import { WaitService } from './waiting/wait.service';
import { WaitingCallers } from './waiting/waiting-callers';

@Module({
  imports: [AuthorizationModule, RateModule, StartModule],
  controllers: [HooksController],
  providers: [HookCallReader, HookService, PermitPool, WaitService, WaitingCallers],
})
export class HookModule {}
