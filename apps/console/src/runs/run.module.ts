import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { EnvironmentModule } from '../environments/environment.module';
import { FlowModule } from '../flows/flow.module';
import { MatrixModule } from '../matrix/matrix.module';
import { AuditTrailService } from './audit-trail.service';
import { RerunController } from './rerun.controller';
import { RerunService } from './rerun.service';
import { RunController } from './run.controller';
import { RunService } from './run.service';

@Module({
  imports: [AccessModule, EnvironmentModule, FlowModule, MatrixModule],
  controllers: [RerunController, RunController],
  providers: [AuditTrailService, RerunService, RunService],
  exports: [RunService],
})
export class RunModule {}
