import { Module } from '@nestjs/common';
import { InstanceChangeNotifier } from './instance-change-notifier';
import { InstanceQueryService } from './instance-query.service';
import { InstanceHandlers } from './instance.handlers';

@Module({
  controllers: [InstanceHandlers],
  providers: [InstanceQueryService, InstanceChangeNotifier],
  exports: [InstanceChangeNotifier],
})
export class InstanceModule {}
