import { Module } from '@nestjs/common';
import { AbilityModule } from '../abilities/ability.module';
import { InstanceChangeNotifier } from './instance-change-notifier';
import { InstanceQueryService } from './instance-query.service';
import { InstanceHandlers } from './instance.handlers';
import { LogQueryService } from './log-query.service';
import { MissedShareEventSweeps } from './missed-share-event.sweeps';

@Module({
  imports: [AbilityModule],
  controllers: [InstanceHandlers],
  providers: [InstanceQueryService, LogQueryService, InstanceChangeNotifier, MissedShareEventSweeps],
  exports: [InstanceChangeNotifier],
})
export class InstanceModule {}
