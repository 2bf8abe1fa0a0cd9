import { openStore } from '@batuta/database';
import { natsMicroservice, Rpc } from '@batuta/messaging';
import { createLogger, Metrics, nestLogger } from '@batuta/observability';
import { NestFactory } from '@nestjs/core';
import { ExecutionModule } from './app.module';
import type { ExecutionConfig } from './config';
import { startRetention } from './retention/sweep';
import { startSweeps } from './delivery/sweeps';
import { DeliveryService } from './delivery/delivery.service';

/** The execution service: accepts, queues, hands out and ends executions. `url` serves health and metrics only. */
export async function createExecution(config: ExecutionConfig): Promise<{ url: string; close(): Promise<void> }> {
  const logger = createLogger('execution', config.LOG_LEVEL);
  const store = await openStore({ url: config.DATABASE_URL, pool: config.DATABASE_POOL, pipelined: true });
  const rpc = await Rpc.connect(config.NATS_URL, 'execution');
  const metrics = new Metrics('execution');
  const app = await NestFactory.create(ExecutionModule.of({ config, store, rpc, metrics }), {
    logger: nestLogger(logger),
    abortOnError: false,
  });
  app.connectMicroservice(natsMicroservice(config.NATS_URL, 'execution'));
  await app.startAllMicroservices();
  await app.listen(config.PORT, config.HOST);
  const sweeps = [
    startSweeps(store, app.get(DeliveryService), config, logger),
    startRetention(store, config, metrics, logger),
  ];
  return {
    url: await app.getUrl(),
    close: async () => {
      await Promise.all(sweeps.map((sweep) => sweep.stop()));
      await app.close();
      await rpc.close();
      await store.close();
      metrics.close();
    },
  };
}
