import { EnvelopeFilter, privateAnswers, requestID, type EnvelopeOptions } from '@batuta/http';
import { closeServer, limitServer, nestLogger } from '@batuta/observability';
import { openResources, PeriodicTasks, type ServiceResources } from '@batuta/service';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { GatewayModule } from './app.module';
import { GatewayClock } from './common/gateway-clock';
import { GatewayMetrics } from './common/gateway-metrics';
import type { GatewayConfig } from './config';
import { accessLog } from './common/access-log';
import { closeConnections } from './http/closing-connections';
import { allowOrigins } from './http/cors';
import { serveDocs } from './openapi/docs';
import { describeApi } from './openapi/document';

export interface Gateway {
  url: string;
  /** Stops listening, gives requests in flight CLOSE_TIMEOUT_MS to end, and then closes everything. */
  close(): Promise<void>;
}

/** `Retry-After` of a refusal whose cause ends at an unknown time, such as a full queue. */
const RETRY_SECONDS = '10';
const HEADERS_OF_STATUS: Record<number, Record<string, string>> = {
  401: { 'WWW-Authenticate': 'Bearer' },
  429: { 'Retry-After': RETRY_SECONDS },
};

const ENVELOPE: EnvelopeOptions = {
  notFoundMessage: 'No such path, or not with this method.',
  internalMessage: (id) => `An unexpected fault. Request id: ${id}`,
  headersOf: ({ status }): Record<string, string> => HEADERS_OF_STATUS[status] ?? {},
};

/** The HTTP edge for API clients and webhooks. `now` (epoch milliseconds) is the clock of rate windows, deadlines and default days. */
export async function createGateway(config: GatewayConfig, now: () => number = Date.now): Promise<Gateway> {
  const resources = await openResources('gateway', config, { rpcTimeout: config.READ_TIMEOUT_MS });
  try {
    const app = await listen(config, new GatewayClock(now), resources);
    return {
      url: await app.getUrl(),
      close: async () => {
        // First, because `closeServer` ends the event streams at once and waits for the sweep in progress only then.
        await app.get(PeriodicTasks).stop();
        await closeServer(app, config.CLOSE_TIMEOUT_MS);
        await resources.release();
      },
    };
  } catch (error) {
    await resources.release();
    throw error;
  }
}

async function listen(
  config: GatewayConfig,
  clock: GatewayClock,
  resources: ServiceResources,
): Promise<NestExpressApplication> {
  const { logger } = resources;
  const app = await NestFactory.create<NestExpressApplication>(GatewayModule.forRoot(config, clock, resources), {
    bodyParser: false,
    logger: nestLogger(logger),
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', config.TRUST_PROXY);
  app.use(closeConnections(app.getHttpServer()), requestID, accessLog(logger, app.get(GatewayMetrics)), privateAnswers);
  allowOrigins(app, config.CORS_ORIGINS);
  app.useGlobalFilters(new EnvelopeFilter(logger, ENVELOPE));
  limitServer(app.getHttpServer(), logger, {
    headersMs: config.HEADERS_TIMEOUT_MS,
    requestMs: config.REQUEST_TIMEOUT_MS,
    keepAliveMs: config.KEEP_ALIVE_TIMEOUT_MS,
  });
  serveDocs(app, () => describeApi(app));
  await app.listen(config.PORT, config.HOST);
  return app;
}
