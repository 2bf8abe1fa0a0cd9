import { databaseFault } from '@batuta/database';
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
  validationPipe,
  type EnvelopeOptions,
} from '@batuta/http';
import { closeServer, limitServer, nestLogger, StopNotice, type Logger, type Metrics } from '@batuta/observability';
import { openResources, type ServiceResources } from '@batuta/service';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express, RequestHandler } from 'express';
import { ConsoleModule } from './app.module';
import type { ConsoleConfig } from './config';
import { tenantOfRequest } from './sessions/caller';
import { BASE_PATH } from './sessions/endpoint';
import { describeApi } from './openapi/document';
import { REGISTRY_ENTITIES } from './registry';
import { findWebFolder, isPageResponse, servePages } from './pages/pages';

const SHUTDOWN_TIME_LIMIT_MS = 5_000;
const RETRY_AFTER_SECONDS = '60';
/** The name under which logs and metrics record a page or a file of a page, instead of its path. */
const PAGE_ROUTE = 'page';
/** Probes and the metrics themselves are not in the histogram of durations. */
const UNMEASURED_ROUTE = /^\/(?:health|metrics$)/;

const ENVELOPE_OPTIONS: EnvelopeOptions = {
  translate: databaseFault,
  internalMessage: (id) => `An unexpected fault; request id ${id}.`,
  headersOf: ({ code }): Record<string, string> =>
    code === 'RATE_LIMITED' ? { 'Retry-After': RETRY_AFTER_SECONDS } : {},
};

/**
 * Starts a server of the management API `/manage/v1`, and of the built pages in `webFolder`, if it is given. `close` makes readiness
 * fail, serves on for STOP_DELAY_MS, and then waits up to SHUTDOWN_TIME_LIMIT_MS for requests in flight.
 */
export async function createConsole(
  config: ConsoleConfig,
  { webFolder }: { webFolder?: string } = { webFolder: findWebFolder() },
): Promise<{ url: string; close(): Promise<void> }> {
  const resources = await openResources('console', config, {
    entities: REGISTRY_ENTITIES,
    rpcTimeout: config.READ_TIMEOUT_MS,
  });
  try {
    const app = await listen(config, resources, webFolder);
    return {
      url: (await app.getUrl()).replace('[::1]', '127.0.0.1'),
      close: async () => {
        await app.get(StopNotice).give(config.STOP_DELAY_MS);
        await closeServer(app, SHUTDOWN_TIME_LIMIT_MS);
        await resources.release();
      },
    };
  } catch (error) {
    await resources.release();
    throw error;
  }
}

async function listen(
  config: ConsoleConfig,
  resources: ServiceResources,
  webFolder: string | undefined,
): Promise<NestExpressApplication> {
  const { logger, metrics } = resources;
  const answers = new LargeAnswers();
  const app = await NestFactory.create<NestExpressApplication>(
    ConsoleModule.forRoot(config, resources, answers),
    new AnswerAdapter(answers, tenantOfRequest),
    { logger: nestLogger(logger), abortOnError: false, bodyParser: false },
  );
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', config.TRUST_PROXY);
  app.use(
    awaitPreviousAnswer,
    assignRequestID,
    traceRequest,
    createAccessLog(logger, metrics),
    setPrivateHeaders,
    ignoreAnyEntityTag,
  );
  awaitRefusedExpectations(app);
  requireHost(app);
  app.useGlobalPipes(validationPipe());
  const errors = metrics.counter('console_errors_total', 'Errors by code and route', ['code', 'route']);
  const onError: EnvelopeOptions['onError'] = ({ code }, request) => errors.inc({ code, route: routePattern(request) });
  app.useGlobalFilters(new EnvelopeFilter(logger, { ...ENVELOPE_OPTIONS, onError }));
  limitServer(app.getHttpServer(), logger);
  // The OpenAPI document is made at its first request, because that takes longer than the rest of the start.
  let document: Buffer | undefined;
  const serveDocument: RequestHandler = (_request, response) => {
    // All connections share the bytes of the document: anyone may ask for it and leave it unread.
    document ??= Buffer.from(JSON.stringify(describeApi(app)));
    response.type('json').send(document);
  };
  const express: Express = app.getHttpAdapter().getInstance();
  express.get(`/${BASE_PATH}/openapi.json`, serveDocument);
  if (webFolder !== undefined) servePages(app, webFolder);
  await app.listen(config.PORT, config.HOST);
  return app;
}

function createAccessLog(logger: Logger, metrics: Metrics): RequestHandler {
  const duration = metrics.histogram('console_http_seconds', 'Time to answer a call', ['method', 'route', 'status']);
  return accessLog(logger, {
    routeOf: (request, response) => (isPageResponse(response) ? PAGE_ROUTE : routePattern(request)),
    record: ({ method, route, status, seconds, traceId }) => {
      if (status === 'aborted' || UNMEASURED_ROUTE.test(route)) return;
      duration.observe({ method, route, status: String(status) }, seconds, traceId);
    },
  });
}
