import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { ScheduleCreationService } from './schedule-creation.service';
import { ScheduleController } from './schedule.controller';

@Module({ imports: [AccessModule], controllers: [ScheduleController], providers: [ScheduleCreationService] })
export class ScheduleModule {}
