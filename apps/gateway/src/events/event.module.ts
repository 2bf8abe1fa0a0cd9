import { refusalOfCaller } from '@batuta/auth';
import { EventStreams, InstanceFollower, StreamAccess } from '@batuta/events';
import { LargeAnswers } from '@batuta/http';
import { Rpc } from '@batuta/messaging';
import { PeriodicTasks } from '@batuta/service';
import { Module } from '@nestjs/common';
import { AccessLookups } from '../authorization/access-lookups';
import { AuthorizationModule } from '../authorization/authorization.module';
import { GatewayMetrics } from '../common/gateway.metrics';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { EventsController } from './event.controller';

const streamsProvider = {
  provide: EventStreams,
  inject: [Rpc, GatewayMetrics, GATEWAY_CONFIG],
  useFactory: (rpc: Rpc, metrics: GatewayMetrics, { ACCOUNT_STREAMS }: GatewayConfig) =>
    new EventStreams(rpc, { perAccount: ACCOUNT_STREAMS, onRefusal: () => metrics.countRefusal('streams') }),
};

const accessProvider = {
  provide: StreamAccess,
  inject: [PeriodicTasks, AccessLookups],
  useFactory: (tasks: PeriodicTasks, lookups: AccessLookups) =>
    new StreamAccess(tasks, async (credentialID) =>
      refusalOfCaller((await lookups.findAccess({ credentialID }))?.caller),
    ),
};

const followerProvider = {
  provide: InstanceFollower,
  inject: [Rpc, EventStreams, StreamAccess, LargeAnswers],
  useFactory: (...parts: ConstructorParameters<typeof InstanceFollower>) => new InstanceFollower(...parts),
};

@Module({
  imports: [AuthorizationModule],
  controllers: [EventsController],
  providers: [streamsProvider, accessProvider, followerProvider],
})
export class EventModule {}
