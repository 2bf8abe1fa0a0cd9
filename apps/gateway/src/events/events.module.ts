import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { EventController } from './event.controller';
import { EventStreams } from './event-streams';

@Module({ imports: [AuthorizationModule], controllers: [EventController], providers: [EventStreams] })
export class EventsModule {}
