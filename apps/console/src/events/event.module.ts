import { EventStreams, InstanceFollower, StreamAccess } from '@batuta/events';
import { LargeAnswers } from '@batuta/http';
import { Rpc } from '@batuta/messaging';
import { PeriodicTasks } from '@batuta/service';
import { Module } from '@nestjs/common';
import { SessionLookups } from '../sessions/session-lookups';
import { InstanceEventController } from './event.controller';

/** Maximum number of streams of one account at one replica; a tab that shows a running instance has one stream. */
const MAX_ACCOUNT_STREAMS = 20;

const streamsProvider = {
  provide: EventStreams,
  inject: [Rpc],
  useFactory: (rpc: Rpc) => new EventStreams(rpc, { perAccount: MAX_ACCOUNT_STREAMS }),
};

const accessProvider = {
  provide: StreamAccess,
  inject: [PeriodicTasks, SessionLookups],
  useFactory: (tasks: PeriodicTasks, sessions: SessionLookups) =>
    new StreamAccess(tasks, (tokenHash) => sessions.refusalOf(Buffer.from(tokenHash, 'hex'))),
};

const followerProvider = {
  provide: InstanceFollower,
  inject: [Rpc, EventStreams, StreamAccess, LargeAnswers],
  useFactory: (...parts: ConstructorParameters<typeof InstanceFollower>) => new InstanceFollower(...parts),
};

@Module({ controllers: [InstanceEventController], providers: [streamsProvider, accessProvider, followerProvider] })
export class InstanceEventModule {}
