import { createLogger, limitCompilerMemory, limitHeapGrowth, runMain, stopOnSignals } from '@batuta/observability';
import { createGateway } from './app';
import { readGatewayConfig } from './config';

async function main(): Promise<void> {
  const config = readGatewayConfig(process.env);
  limitCompilerMemory();
  const logger = createLogger('gateway', config.LOG_LEVEL);
  const service = await createGateway(config);
  logger.info({ url: service.url }, 'the gateway listens');
  stopOnSignals(service, logger);
  limitHeapGrowth();
}

runMain('gateway', main);
