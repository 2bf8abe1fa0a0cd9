import { createLogger, limitCompilerMemory, limitHeapGrowth, runMain, stopOnSignals } from '@batuta/observability';
import { createAllInOne } from './app';
import { readAllInOneConfig } from './config';

async function main(): Promise<void> {
  const config = readAllInOneConfig(process.env);
  limitCompilerMemory();
  const logger = createLogger('all-in-one', process.env['LOG_LEVEL'] || 'info');
  const services = await createAllInOne(config);
  stopOnSignals(services, logger);
  limitHeapGrowth();
  logger.info({ urls: services.urls }, 'all services listen');
}

runMain('all-in-one', main);
