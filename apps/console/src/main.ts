import { createLogger, limitCompilerMemory, limitHeapGrowth, runMain, stopOnSignals } from '@batuta/observability';
import { createConsole } from './app';
import { readConsoleConfig } from './config';

async function main(): Promise<void> {
  const config = readConsoleConfig(process.env);
  limitCompilerMemory();
  const logger = createLogger('console', config.LOG_LEVEL);
  const service = await createConsole(config);
  stopOnSignals(service, logger);
  limitHeapGrowth();
  logger.info({ url: service.url }, 'the console listens');
}

runMain('console', main);
