import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { EventsController } from './event.controller';
import { EventStreams } from './event-streams';

@Module({ imports: [AuthorizationModule], controllers: [EventsController], providers: [EventStreams] })
export class EventsModule {}
