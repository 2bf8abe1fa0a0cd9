import { Module } from '@nestjs/common';
import { AgentSessionModule } from '../sessions/session.module';
import { DesiredStateSync } from './desired-state-sync';
import { DispatchHandlers } from './dispatch.handlers';
import { DispatchSweeps } from './dispatch.sweeps';
import { Dispatcher } from './dispatcher';
import { InstanceReleaser } from './instance-releaser';
import { OfferTracker } from './offer-tracker';

@Module({
  imports: [AgentSessionModule],
  controllers: [DispatchHandlers],
  providers: [DesiredStateSync, Dispatcher, DispatchSweeps, InstanceReleaser, OfferTracker],
  exports: [Dispatcher, InstanceReleaser, OfferTracker],
})
export class DispatchModule {}
