import { natsMicroservice } from '@batuta/messaging';
import { limitServer, nestLogger, StopNotice } from '@batuta/observability';
import { openResources, PeriodicTasks } from '@batuta/service';
import { NestFactory } from '@nestjs/core';
import { ExecutionModule } from './app.module';
import type { ExecutionConfig } from './config';

/** The execution service: accepts, queues, delivers, controls and ends instances. `url` serves health and metrics only. */
export async function createExecution(config: ExecutionConfig): Promise<{ url: string; close(): Promise<void> }> {
  const resources = await openResources('execution', config, { pipelined: true });
  const app = await NestFactory.create(ExecutionModule.forRoot(config, resources), {
    logger: nestLogger(resources.logger),
    abortOnError: false,
    bodyParser: false,
  });
  limitServer(app.getHttpServer(), resources.logger);
  app.connectMicroservice(natsMicroservice(config.NATS_URL, 'execution'));
  await app.startAllMicroservices();
  await app.listen(config.PORT, config.HOST);
  return {
    url: await app.getUrl(),
    close: async () => {
      await app.get(StopNotice).give(config.STOP_DELAY_MS);
      // The sweeps stop first: `app.close` would end the pending claims before it waits for the sweeps in progress, and
      // no claim would be served meanwhile.
      await app.get(PeriodicTasks).stop();
      await app.close();
      await resources.release();
    },
  };
}
