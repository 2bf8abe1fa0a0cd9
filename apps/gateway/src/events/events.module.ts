import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { EventsController } from './events.controller';
import { Streams } from './streams';

@Module({ imports: [AuthorizationModule], controllers: [EventsController], providers: [Streams] })
export class EventsModule {}
