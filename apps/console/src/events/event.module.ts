import { EventStreams, InstanceFollower, StreamAccess } from '@batuta/events';
import { LargeAnswers } from '@batuta/http';
import { Rpc } from '@batuta/messaging';
import { PeriodicTasks } from '@batuta/service';
import { Module } from '@nestjs/common';
import { LoginService } from '../sessions/login.service';
import { InstanceEventController } from './event.controller';

/** Each open tab of a person has one stream. */
const MAX_ACCOUNT_STREAMS = 20;

const streams = {
  provide: EventStreams,
  inject: [Rpc],
  useFactory: (rpc: Rpc) => new EventStreams(rpc, { perAccount: MAX_ACCOUNT_STREAMS }),
};

const access = {
  provide: StreamAccess,
  inject: [PeriodicTasks, LoginService],
  useFactory: (tasks: PeriodicTasks, logins: LoginService) =>
    new StreamAccess(tasks, (tokenHash) => logins.refusalOf(Buffer.from(tokenHash, 'hex'))),
};

const follower = {
  provide: InstanceFollower,
  inject: [Rpc, EventStreams, StreamAccess, LargeAnswers],
  useFactory: (...parts: ConstructorParameters<typeof InstanceFollower>) => new InstanceFollower(...parts),
};

@Module({ controllers: [InstanceEventController], providers: [streams, access, follower] })
export class InstanceEventModule {}
