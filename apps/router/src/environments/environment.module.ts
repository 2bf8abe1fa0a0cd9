import { Module } from '@nestjs/common';
import { DispatchModule } from '../dispatch/dispatch.module';
import { SessionModule } from '../sessions/session.module';
import { EnvironmentWatch } from './environment-watch';
import { EnvironmentHandlers } from './environment.handlers';
import { EnvironmentSweeps } from './environment.sweeps';

@Module({
  imports: [SessionModule, DispatchModule],
  controllers: [EnvironmentHandlers],
  providers: [EnvironmentWatch, EnvironmentSweeps],
})
export class EnvironmentModule {}
