import { EnvelopeFilter } from '@batuta/http';
import { natsMicroservice } from '@batuta/messaging';
import { closeServer, limitServer, nestLogger, StopNotice } from '@batuta/observability';
import { openResources } from '@batuta/service';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { WebhookModule } from './app.module';
import type { WebhookConfig } from './config';

/**
 * The webhook service: origins, mappings, captures, permits, the starts of webhook calls, and the deliveries of events.
 * `url` serves health and metrics only.
 */
export async function createWebhook(config: WebhookConfig): Promise<{ url: string; close(): Promise<void> }> {
  const resources = await openResources('webhook', config, { pipelined: true });
  const app = await NestFactory.create<NestExpressApplication>(WebhookModule.forRoot(config, resources), {
    logger: nestLogger(resources.logger),
    abortOnError: false,
    bodyParser: false,
  });
  app.disable('x-powered-by');
  app.useGlobalFilters(new EnvelopeFilter(resources.logger));
  limitServer(app.getHttpServer(), resources.logger);
  app.connectMicroservice(natsMicroservice(config.NATS_URL, 'webhook'));
  await app.startAllMicroservices();
  await app.listen(config.PORT, config.HOST);
  return {
    url: await app.getUrl(),
    close: async () => {
      await app.get(StopNotice).give(config.STOP_DELAY_MS);
      await closeServer(app);
      await resources.release();
    },
  };
}
