import { createLogger, limitCompilerMemory, limitHeapGrowth, runMain, stopOnSignals } from '@batuta/observability';
import { createExecution } from './app';
import { readExecutionConfig } from './config';

async function main(): Promise<void> {
  const config = readExecutionConfig(process.env);
  limitCompilerMemory();
  const logger = createLogger('execution', config.LOG_LEVEL);
  const service = await createExecution(config);
  logger.info({ url: service.url }, 'the execution service listens');
  stopOnSignals(service, logger);
  limitHeapGrowth();
}

runMain('execution', main);
