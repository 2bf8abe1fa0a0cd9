import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { ScheduleController } from './schedule.controller';

@Module({ imports: [AuthorizationModule], controllers: [ScheduleController] })
export class ScheduleModule {}
