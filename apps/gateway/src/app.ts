import {
  accessLog,
  AnswerAdapter,
  assignRequestID,
  awaitPreviousAnswer,
  awaitRefusedExpectations,
  EnvelopeFilter,
  ignoreAnyEntityTag,
  LargeAnswers,
  requireHost,
  routePattern,
  setPrivateHeaders,
  traceRequest,
  type EnvelopeOptions,
} from '@batuta/http';
import { closeServer, limitServer, nestLogger, StopNotice } from '@batuta/observability';
import { openResources, PeriodicTasks, type ServiceResources } from '@batuta/service';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { GatewayModule } from './app.module';
import { GatewayClock } from './common/gateway-clock';
import { GatewayMetrics } from './common/gateway.metrics';
import type { GatewayConfig } from './config';
import { allowOrigins } from './http/cors';
import { tenantOfRequest, type GatewayRequest } from './http/request';
import { serveDocs } from './openapi/docs';
import { describeApi } from './openapi/document';

export interface RunningGateway {
  url: string;
  /** Keeps serving for STOP_DELAY_MS, stops listening, gives requests in flight CLOSE_TIMEOUT_MS to end, and then closes everything. */
  close(): Promise<void>;
}

/** Seconds of `Retry-After` in a 429 for which no other value was set: nobody knows when, for example, a full queue has room. */
const RETRY_AFTER_SECONDS = '10';
const HEADERS_OF_STATUS: Record<number, Record<string, string>> = {
  401: { 'WWW-Authenticate': 'Bearer' },
  429: { 'Retry-After': RETRY_AFTER_SECONDS },
};

const ENVELOPE_OPTIONS: EnvelopeOptions = {
  notFoundMessage: 'No such path, or not with this method.',
  internalMessage: (id) => `An unexpected fault. Request id: ${id}`,
  headersOf: ({ status }): Record<string, string> => HEADERS_OF_STATUS[status] ?? {},
};

/**
 * The HTTP service for API clients and webhook calls. `now` (epoch milliseconds) takes the place of both clocks in tests: rate windows, failed
 * credentials of addresses, slow bodies, deadlines of waiting callers, and the default days of a history.
 */
export async function createGateway(config: GatewayConfig, now?: () => number): Promise<RunningGateway> {
  const resources = await openResources('gateway', config, { rpcTimeout: config.READ_TIMEOUT_MS });
  try {
    const app = await listen(config, new GatewayClock(now, now), resources);
    return {
      url: await app.getUrl(),
      close: async () => {
        await app.get(StopNotice).give(config.STOP_DELAY_MS);
        // The sweeps stop first: `closeServer` would end the event streams before it waits for a sweep in progress.
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
  const answers = new LargeAnswers();
  const app = await NestFactory.create<NestExpressApplication>(
    GatewayModule.forRoot(config, clock, resources, answers),
    new AnswerAdapter(answers, tenantOfRequest),
    { bodyParser: false, logger: nestLogger(logger), abortOnError: false },
  );
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', config.TRUST_PROXY);
  const metrics = app.get(GatewayMetrics);
  const logAnswers = accessLog<GatewayRequest>(logger, {
    record: (answer) => metrics.countResponse(answer),
    tenantOf: ({ caller, hook }) => ({ account: caller?.accountID, origin: hook?.originID }),
  });
  app.use(awaitPreviousAnswer, assignRequestID, traceRequest, logAnswers, setPrivateHeaders, ignoreAnyEntityTag);
  awaitRefusedExpectations(app);
  requireHost(app);
  allowOrigins(app, config.CORS_ORIGINS);
  const onError: EnvelopeOptions['onError'] = ({ code }, request) => metrics.countError(code, routePattern(request));
  app.useGlobalFilters(new EnvelopeFilter(logger, { ...ENVELOPE_OPTIONS, onError }));
  limitServer(app.getHttpServer(), logger, {
    headersMs: config.HEADERS_TIMEOUT_MS,
    requestMs: config.REQUEST_TIMEOUT_MS,
    keepAliveMs: config.KEEP_ALIVE_TIMEOUT_MS,
  });
  serveDocs(app, () => describeApi(app));
  await app.listen(config.PORT, config.HOST);
  return app;
}
