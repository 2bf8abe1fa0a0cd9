import { createLogger, limitCompilerMemory, limitHeapGrowth, runMain, stopOnSignals } from '@batuta/observability';
import { createRouter } from './app';
import { readRouterConfig } from './config';

async function main(): Promise<void> {
  const config = readRouterConfig(process.env);
  limitCompilerMemory();
  const logger = createLogger('router', config.LOG_LEVEL);
  const router = await createRouter(config);
  stopOnSignals(router, logger);
  limitHeapGrowth();
  logger.info({ url: router.url }, 'the router listens');
}

runMain('router', main);
