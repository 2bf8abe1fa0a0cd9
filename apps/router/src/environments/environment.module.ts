import { Module } from '@nestjs/common';
import { DispatchModule } from '../dispatch/dispatch.module';
import { AgentSessionModule } from '../sessions/session.module';
import { EnvironmentWatch } from './environment-watch';
import { EnvironmentHandlers } from './environment.handlers';
import { EnvironmentSweeps } from './environment.sweeps';

@Module({
  imports: [AgentSessionModule, DispatchModule],
  controllers: [EnvironmentHandlers],
  providers: [EnvironmentWatch, EnvironmentSweeps],
})
export class EnvironmentModule {}
