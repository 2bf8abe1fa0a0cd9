import { createLogger, limitCompilerMemory, limitHeapGrowth, runMain, stopOnSignals } from '@batuta/observability';
import { createWebhook } from './app';
import { readWebhookConfig } from './config';

async function main(): Promise<void> {
  const config = readWebhookConfig(process.env);
  limitCompilerMemory();
  const logger = createLogger('webhook', config.LOG_LEVEL);
  const service = await createWebhook(config);
  logger.info({ url: service.url }, 'the webhook service listens');
  stopOnSignals(service, logger);
  limitHeapGrowth();
}

runMain('webhook', main);
