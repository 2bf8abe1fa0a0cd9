import { validationPipe, type LargeAnswers } from '@batuta/http';
import { ServiceModule, type ServiceResources } from '@batuta/service';
import { Module, type DynamicModule } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { AccountModule } from './account/account.module';
import { CommonModule } from './common/common.module';
import type { GatewayClock } from './common/gateway-clock';
import type { GatewayConfig } from './config';
import { EnvironmentModule } from './environments/environment.module';
import { EventModule } from './events/event.module';
import { HookModule } from './hooks/hook.module';
import { InstanceModule } from './instances/instance.module';
import { ProcessModule } from './processes/process.module';
import { ScheduleModule } from './schedules/schedule.module';
import { StartModule } from './start/start.module';

@Module({})
export class GatewayModule {
  static forRoot(
    config: GatewayConfig,
    clock: GatewayClock,
    resources: ServiceResources,
    answers: LargeAnswers,
  ): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        ServiceModule.forRoot(resources),
        CommonModule.forRoot(config, clock, answers),
        AccountModule,
        EnvironmentModule,
        ProcessModule,
        StartModule,
        InstanceModule,
        EventModule,
        ScheduleModule,
        HookModule,
      ],
      providers: [
        // Fields that the contract does not know are ignored, and a matrix that is nested too deep has its own error
        // code, INVALID_MATRIX.
        { provide: APP_PIPE, useValue: validationPipe({ unknownFields: 'ignored', maxDepth: 'unlimited' }) },
      ],
    };
  }
}
