import { AdaptiveConcurrency, LargeAnswers } from '@batuta/http';
import { Metrics } from '@batuta/observability';
import { ServiceModule, type ServiceResources } from '@batuta/service';
import { Global, Module, type DynamicModule } from '@nestjs/common';
import { AllowedKeysModule } from './allowed-keys/allowed-keys.module';
import { AccountModule } from './accounts/account.module';
import { AuditModule } from './audit/audit.module';
import { CaptureModule } from './captures/capture.module';
import { CompanyModule } from './companies/company.module';
import { CONSOLE_CONFIG, type ConsoleConfig } from './config';
import { AddressModule } from './addresses/address.module';
import { ConnectorModule } from './connectors/connector.module';
import { CreditModule } from './credits/credit.module';
import { CredentialModule } from './credentials/credential.module';
import { EnvironmentModule } from './environments/environment.module';
import { EventSubscriptionModule } from './event-subscriptions/event-subscription.module';
import { InstanceEventModule } from './events/event.module';
import { FlowModule } from './flows/flow.module';
import { KeyModule } from './keys/key.module';
import { MappingModule } from './mappings/mapping.module';
import { MatrixModule } from './matrix/matrix.module';
import { OriginModule } from './origins/origin.module';
import { PlanModule } from './plans/plan.module';
import { ProcessModule } from './processes/process.module';
import { OverviewModule } from './overview/overview.module';
import { RunModule } from './runs/run.module';
import { ScheduleModule } from './schedules/schedule.module';
import { SessionModule } from './sessions/session.module';
import { ShareModule } from './shares/share.module';
import { VaultModule } from './vault/vault.module';

/** Mean number of calls at a time at one replica above which a company may be limited: its people together rarely have more. */
const LARGE_DEMAND = 16;

/** Global, so that every feature module can inject CONSOLE_CONFIG, and the limits of calls in progress and of large answers. */
@Global()
@Module({})
export class ConsoleModule {
  static forRoot(config: ConsoleConfig, resources: ServiceResources, answers: LargeAnswers): DynamicModule {
    return {
      module: ConsoleModule,
      imports: [
        ServiceModule.forRoot(resources),
        SessionModule,
        PlanModule,
        CompanyModule,
        CreditModule,
        AccountModule,
        AllowedKeysModule,
        CredentialModule,
        EnvironmentModule,
        ProcessModule,
        MatrixModule,
        FlowModule,
        AddressModule,
        ConnectorModule,
        KeyModule,
        ShareModule,
        VaultModule,
        RunModule,
        InstanceEventModule,
        OverviewModule,
        ScheduleModule,
        OriginModule,
        MappingModule,
        CaptureModule,
        AuditModule,
        EventSubscriptionModule,
      ],
      providers: [
        { provide: CONSOLE_CONFIG, useValue: config },
        {
          provide: AdaptiveConcurrency,
          inject: [Metrics],
          useFactory: (metrics: Metrics) => AdaptiveConcurrency.watchedBy(metrics, LARGE_DEMAND),
        },
        { provide: LargeAnswers, useValue: answers },
      ],
      exports: [CONSOLE_CONFIG, AdaptiveConcurrency, LargeAnswers],
    };
  }
}
