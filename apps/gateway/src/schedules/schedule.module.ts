import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { SchedulesController } from './schedule.controller';

@Module({ imports: [AuthorizationModule], controllers: [SchedulesController] })
export class ScheduleModule {}
