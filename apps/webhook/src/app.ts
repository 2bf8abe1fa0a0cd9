import { openStore } from '@batuta/database';
import { natsMicroservice, Rpc } from '@batuta/messaging';
import { createLogger, Metrics, nestLogger } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import { NestFactory } from '@nestjs/core';
import { WebhookModule } from './app.module';
import { WaitingService } from './calls/waiting.service';
import type { WebhookConfig } from './config';
import { startSweeps } from './sweeps';

/** The webhook service: origins, their URLs, mappings and captures, and the starts of their calls. `url` serves health and metrics only. */
export async function createWebhook(config: WebhookConfig): Promise<{ url: string; close(): Promise<void> }> {
  const logger = createLogger('webhook', config.LOG_LEVEL);
  const store = await openStore({ url: config.DATABASE_URL, pool: config.DATABASE_POOL, pipelined: true });
  const rpc = await Rpc.connect(config.NATS_URL, 'webhook').catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const metrics = new Metrics('webhook');
  const keys = new KeyRing(config.SECRET_KEYS);
  const app = await NestFactory.create(WebhookModule.of({ config, store, rpc, keys, metrics }), {
    logger: nestLogger(logger),
    abortOnError: false,
  });
  app.connectMicroservice(natsMicroservice(config.NATS_URL, 'webhook'));
  await app.startAllMicroservices();
  await app.listen(config.PORT, config.HOST);
  const sweeps = startSweeps({ store, config, waiting: app.get(WaitingService) }, logger);
  return {
    url: await app.getUrl(),
    close: async () => {
      await sweeps.stop();
      await app.close();
      await rpc.close();
      await store.close();
      metrics.close();
    },
  };
}
