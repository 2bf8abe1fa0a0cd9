import { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { HealthController, Metrics, READINESS, type ReadinessCheck } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import { Module, type DynamicModule } from '@nestjs/common';
import { AccountController } from './accounts/account.controller';
import { Accounts } from './accounts/accounts';
import { CaptureController } from './captures/capture.controller';
import { Companies } from './companies/companies';
import { CompanyController } from './companies/company.controller';
import { CredentialController } from './credentials/credential.controller';
import { Credentials } from './credentials/credentials';
import { EnvironmentController } from './environments/environment.controller';
import { Environments } from './environments/environments';
import { FlowController } from './flow/flow.controller';
import { Flows } from './flow/flows';
import { KeyController } from './keys/key.controller';
import { Keys } from './keys/keys';
import { MappingController } from './mappings/mapping.controller';
import { Matrix } from './matrix/matrix';
import { MatrixController } from './matrix/matrix.controller';
import { OriginAccess } from './origins/origin-access';
import { OriginController } from './origins/origin.controller';
import { CONFIG, type ConsoleParts } from './parts';
import { PlanController } from './plans/plan.controller';
import { Plans } from './plans/plans';
import { ProcessAccess } from './processes/process-access';
import { ProcessController } from './processes/process.controller';
import { Processes } from './processes/processes';
import { RunController } from './runs/run.controller';
import { Starts } from './runs/starts';
import { ScheduleController } from './schedules/schedule.controller';
import { ShareController } from './shares/share.controller';
import { Shares } from './shares/shares';
import { Vault } from './vault/vault';
import { VaultController } from './vault/vault.controller';
import { Logins } from './sessions/logins';
import { Passwords } from './sessions/passwords';
import { SessionController } from './sessions/session.controller';

const controllers = [
  HealthController,
  SessionController,
  PlanController,
  CompanyController,
  AccountController,
  CredentialController,
  EnvironmentController,
  ProcessController,
  MatrixController,
  FlowController,
  KeyController,
  ShareController,
  VaultController,
  RunController,
  ScheduleController,
  OriginController,
  MappingController,
  CaptureController,
];

const services = [
  Accounts,
  Companies,
  Credentials,
  Environments,
  Flows,
  Keys,
  Logins,
  Matrix,
  OriginAccess,
  Plans,
  ProcessAccess,
  Processes,
  Shares,
  Starts,
  Vault,
];

@Module({})
export class ConsoleModule {
  static of({
    config,
    store,
    rpc,
    keyRing,
    metrics,
    passwords,
  }: ConsoleParts & { passwords: Passwords }): DynamicModule {
    const readiness: ReadinessCheck[] = [
      { name: 'database', check: () => store.ping() },
      { name: 'nats', check: () => rpc.ping() },
    ];
    return {
      module: ConsoleModule,
      controllers,
      providers: [
        ...services,
        { provide: CONFIG, useValue: config },
        { provide: Store, useValue: store },
        { provide: Rpc, useValue: rpc },
        { provide: KeyRing, useValue: keyRing },
        { provide: Metrics, useValue: metrics },
        { provide: Passwords, useValue: passwords },
        { provide: READINESS, useValue: readiness },
      ],
    };
  }
}
