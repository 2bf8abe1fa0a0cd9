import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { EventStreams } from './event-streams';
import { EventsController } from './event.controller';

@Module({ imports: [AuthorizationModule], controllers: [EventsController], providers: [EventStreams] })
export class EventModule {}
