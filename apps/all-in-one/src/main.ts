import { createLogger, limitCompilerMemory, limitHeapGrowth, stopOnSignals } from '@batuta/observability';
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

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
