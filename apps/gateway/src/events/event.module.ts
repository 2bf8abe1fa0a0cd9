import { Module } from '@nestjs/common';
import { AuthorizationModule } from '../authorization/authorization.module';
import { EventStreams } from './event-streams';
import { EventsController } from './event.controller';
import { StreamCredentials } from './stream-credentials';

@Module({
  imports: [AuthorizationModule],
  controllers: [EventsController],
  providers: [EventStreams, StreamCredentials],
})
export class EventModule {}
