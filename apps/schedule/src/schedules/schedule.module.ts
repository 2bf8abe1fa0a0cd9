import { Module } from '@nestjs/common';
import { FiringModule } from '../firing/firing.module';
import { ScheduleRecordRemover } from './schedule-record-remover';
import { ScheduleHandlers } from './schedule.handlers';
import { ScheduleService } from './schedule.service';
import { ScheduleSweeps } from './schedule.sweeps';

/** Creation, listing, switching and removal of schedules (contract 4.12 to 4.16). */
@Module({
  imports: [FiringModule],
  controllers: [ScheduleHandlers],
  providers: [ScheduleService, ScheduleRecordRemover, ScheduleSweeps],
})
export class ScheduleModule {}
