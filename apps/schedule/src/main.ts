import { createLogger, limitCompilerMemory, limitHeapGrowth, runMain, stopOnSignals } from '@batuta/observability';
import { createSchedule } from './app';
import { readScheduleConfig } from './config';

async function main(): Promise<void> {
  const config = readScheduleConfig(process.env);
  limitCompilerMemory();
  const logger = createLogger('schedule', config.LOG_LEVEL);
  const service = await createSchedule(config);
  logger.info({ url: service.url }, 'the schedule service listens');
  stopOnSignals(service, logger);
  limitHeapGrowth();
}

runMain('schedule', main);
