import { openStore, type Store } from '@batuta/database';
import { EnvelopeFilter, requestID, type EnvelopeOptions } from '@batuta/http';
import { Rpc } from '@batuta/messaging';
import {
  closeServer,
  limitServer,
  createLogger,
  Metrics,
  nestLogger,
  repeat,
  type Logger,
} from '@batuta/observability';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { GatewayModule, type GatewayParts } from './app.module';
import { Clock } from './clock';
import type { GatewayConfig } from './config';
import { allowOrigins } from './http/cors';
import { GatewayMetrics } from './http/gateway-metrics';
import { observe } from './http/observe';
import { serveDocs } from './openapi/docs';
import { describeApi } from './openapi/document';
import { configureExpress, lastAnswers } from './http/server';
import { AllowanceRepository } from './rate/allowance.repository';
import { RateLimiter } from './rate/rate-limiter';

export interface Gateway {
  url: string;
  /** Takes no more connections, lets what is under way end within CLOSE_TIMEOUT_MS, then closes everything. */
  close(): Promise<void>;
}

const ENVELOPE: EnvelopeOptions = {
  notFoundMessage: 'No such path, or not with this method.',
  internalMessage: (id) => `An unexpected fault. Request id: ${id}`,
  headersOf: ({ status }): Record<string, string> => (status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
};

const SWEEP_MILLISECONDS = 60_000;

/** The HTTP edge for third parties. `now` (epoch milliseconds) is the clock of rate windows, deadlines and default days. */
export async function createGateway(config: GatewayConfig, now: () => number = Date.now): Promise<Gateway> {
  const logger = createLogger('gateway', config.LOG_LEVEL);
  const store = await openStore({ url: config.DATABASE_URL, pool: config.DATABASE_POOL });
  const timeout = config.READ_TIMEOUT_MS;
  const rpc = await Rpc.connect(config.NATS_URL, 'gateway', { timeout }).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const parts = partsOf(config, store, rpc, now);
  const release = async () => {
    await rpc.close();
    await store.close();
    parts.metrics.close();
  };
  const app = await listening(parts, logger).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  const sweep = repeat('rate allowances', SWEEP_MILLISECONDS, () => parts.limiter.sweep(), logger);
  return {
    url: await app.getUrl(),
    close: async () => {
      await sweep.stop();
      await closeServer(app, config.CLOSE_TIMEOUT_MS);
      await release();
    },
  };
}

function partsOf(config: GatewayConfig, store: Store, rpc: Rpc, now: () => number): GatewayParts {
  const metrics = new Metrics('gateway');
  const limiter = new RateLimiter(new AllowanceRepository(store, config.READ_TIMEOUT_MS), now);
  const gatewayMetrics = new GatewayMetrics(metrics);
  return { config, store, rpc, clock: new Clock(now), metrics, gatewayMetrics, limiter };
}

async function listening(parts: GatewayParts, logger: Logger): Promise<NestExpressApplication> {
  const { config, gatewayMetrics } = parts;
  const app = await NestFactory.create<NestExpressApplication>(GatewayModule.of(parts), {
    bodyParser: false,
    logger: nestLogger(logger),
    abortOnError: false,
  });
  configureExpress(app, config);
  app.use(lastAnswers(app.getHttpServer()), requestID, observe(logger, gatewayMetrics));
  allowOrigins(app, config.CORS_ORIGINS);
  app.useGlobalFilters(new EnvelopeFilter(logger, ENVELOPE));
  limitServer(app.getHttpServer(), logger, {
    headersMs: config.HEADERS_TIMEOUT_MS,
    requestMs: config.REQUEST_TIMEOUT_MS,
    keepAliveMs: config.KEEP_ALIVE_TIMEOUT_MS,
  });
  serveDocs(app, describeApi(app));
  await app.listen(config.PORT, config.HOST);
  return app;
}
