import { createLogger, stopOnSignals } from '@batuta/observability';
import { createAllInOne } from './app';
import { readAllInOneConfig } from './config';

async function main(): Promise<void> {
  const logger = createLogger('all-in-one', process.env['LOG_LEVEL'] || 'info');
  const services = await createAllInOne(readAllInOneConfig(process.env));
  stopOnSignals(services, logger);
  logger.info({ urls: services.urls }, 'all services listen');
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
