import { notifications, REPLICA_NOTICE_MS } from '@batuta/contracts';
import { EnvelopeFilter } from '@batuta/http';
import { natsMicroservice, Rpc } from '@batuta/messaging';
import { closeServer, limitServer, nestLogger, StopNotice } from '@batuta/observability';
import { openResources, PeriodicTasks } from '@batuta/service';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { randomUUID } from 'node:crypto';
import { ExecutionModule } from './app.module';
import type { ExecutionConfig } from './config';

/** The execution service: accepts, queues, delivers, controls and ends instances. `url` serves health and metrics only. */
export async function createExecution(config: ExecutionConfig): Promise<{ url: string; close(): Promise<void> }> {
  const resources = await openResources('execution', config, { pipelined: true });
  const app = await NestFactory.create<NestExpressApplication>(ExecutionModule.forRoot(config, resources), {
    logger: nestLogger(resources.logger),
    abortOnError: false,
    bodyParser: false,
  });
  app.disable('x-powered-by');
  app.useGlobalFilters(new EnvelopeFilter(resources.logger));
  limitServer(app.getHttpServer(), resources.logger);
  const replica = randomUUID();
  app.connectMicroservice(natsMicroservice(config.NATS_URL, 'execution', replica));
  await app.startAllMicroservices();
  await app.listen(config.PORT, config.HOST);
  announceReplica(app, replica);
  return {
    url: await app.getUrl(),
    close: async () => {
      await app.get(StopNotice).give(config.STOP_DELAY_MS);
      // The sweeps stop first: `app.close` would end the pending claims before it waits for the sweeps in progress, and
      // no claim would be served meanwhile.
      await app.get(PeriodicTasks).stop();
      await closeServer(app);
      await resources.release();
    },
  };
}

/** Announces this replica until the service stops, so that senders choose it for a part of the tenants. */
function announceReplica(app: INestApplication, replica: string): void {
  const announce = () => app.get(Rpc).notify(notifications.executionReplica, { replica });
  announce();
  app.get(PeriodicTasks).every('replica notice', REPLICA_NOTICE_MS, async () => announce());
}
