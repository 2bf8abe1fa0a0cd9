import { Module } from '@nestjs/common';
import { AbilityModule } from '../abilities/ability.module';
import { InstanceChangeNotifier } from './instance-change-notifier';
import { InstanceQueryService } from './instance-query.service';
import { InstanceHandlers } from './instance.handlers';
import { LogQueryService } from './log-query.service';

@Module({
  imports: [AbilityModule],
  controllers: [InstanceHandlers],
  providers: [InstanceQueryService, LogQueryService, InstanceChangeNotifier],
  exports: [InstanceChangeNotifier],
})
export class InstanceModule {}
