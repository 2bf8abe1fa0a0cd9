import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { ScheduleController } from './schedule.controller';

@Module({ imports: [AccessModule], controllers: [ScheduleController] })
export class ScheduleModule {}
