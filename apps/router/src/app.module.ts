import { ServiceModule, type ServiceResources } from '@batuta/service';
import { Module, type DynamicModule } from '@nestjs/common';
import type { RouterConfig } from './config';
import { ConnectionModule } from './connections/connection.module';
import { ContextModule } from './context/context.module';
import { DispatchModule } from './dispatch/dispatch.module';
import { EnvironmentModule } from './environments/environment.module';
import { LeaseModule } from './leases/lease.module';
import { ReportModule } from './reports/report.module';
import { AgentSessionModule } from './sessions/session.module';

@Module({
  imports: [AgentSessionModule, LeaseModule, DispatchModule, ReportModule, ConnectionModule, EnvironmentModule],
})
export class RouterModule {
  static forRoot(resources: ServiceResources, config: RouterConfig): DynamicModule {
    return { module: RouterModule, imports: [ServiceModule.forRoot(resources), ContextModule.forRoot(config)] };
  }
}
