import { MinuteCounts } from '@batuta/auth';
import { Module } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { RateModule } from '../rate/rate.module';
import { AccessLookups } from './access-lookups';
import { AddressStep } from './address.step';
import { LargeAnswersStep } from './large-answers.step';
import { AuthorizationPipeline } from './authorization.pipeline';
import { BodyStep } from './body.step';
import { ConcurrencyStep } from './concurrency.step';
import { CredentialStep } from './credential.step';
import { ProcessStep } from './process.step';
import { RateStep } from './rate.step';
import { RepeatedRefusalStep } from './repeated-refusal.step';
import { ScheduleStep } from './schedule.step';
import { RecheckAfterSlowBodyStep } from './recheck-after-slow-body.step';

@Module({
  imports: [RateModule],
  providers: [
    AccessLookups,
    AddressStep,
    RepeatedRefusalStep,
    CredentialStep,
    RateStep,
    ConcurrencyStep,
    ProcessStep,
    ScheduleStep,
    BodyStep,
    RecheckAfterSlowBodyStep,
    LargeAnswersStep,
    AuthorizationPipeline,
    {
      provide: MinuteCounts,
      inject: [GATEWAY_CONFIG],
      useFactory: (config: GatewayConfig) => new MinuteCounts(config.FAILED_CREDENTIALS_PER_MINUTE),
    },
  ],
  exports: [AuthorizationPipeline, AccessLookups],
})
export class AuthorizationModule {}
