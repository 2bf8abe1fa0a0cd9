import { databaseFault } from '@batuta/database';
import { EnvelopeFilter, privateAnswers, requestID, validationPipe, type EnvelopeOptions } from '@batuta/http';
import { closeServer, limitServer, nestLogger } from '@batuta/observability';
import { openResources, type ServiceResources } from '@batuta/service';
import { NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import { ConsoleModule } from './app.module';
import type { ConsoleConfig } from './config';
import { accessLog } from './http/access-log';
import { BASE } from './sessions/endpoint';
import { describeApi } from './openapi/document';
import { REGISTRY_ENTITIES } from './registry';

const GRACE_PERIOD_MS = 5_000;
const RETRY_SECONDS = '60';

const ENVELOPE: EnvelopeOptions = {
  translate: databaseFault,
  internalMessage: (id) => `An unexpected fault; request id ${id}.`,
  headersOf: ({ code }): Record<string, string> => (code === 'RATE_LIMITED' ? { 'Retry-After': RETRY_SECONDS } : {}),
};

/** The management API `/manage/v1`. `close` gives requests in flight a grace period to end. */
export async function createConsole(config: ConsoleConfig): Promise<{ url: string; close(): Promise<void> }> {
  const resources = await openResources('console', config, {
    entities: REGISTRY_ENTITIES,
    rpcTimeout: config.READ_TIMEOUT_MS,
  });
  try {
    const app = await listen(config, resources);
    return {
      url: (await app.getUrl()).replace('[::1]', '127.0.0.1'),
      close: async () => {
        await closeServer(app, GRACE_PERIOD_MS);
        await resources.release();
      },
    };
  } catch (error) {
    await resources.release();
    throw error;
  }
}

async function listen(config: ConsoleConfig, resources: ServiceResources): Promise<NestExpressApplication> {
  const { logger, metrics } = resources;
  const app = await NestFactory.create<NestExpressApplication>(ConsoleModule.forRoot(config, resources), {
    logger: nestLogger(logger),
    abortOnError: false,
    bodyParser: false,
  });
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', config.TRUST_PROXY);
  app.use(requestID, accessLog(logger, metrics), privateAnswers);
  app.useGlobalPipes(validationPipe());
  app.useGlobalFilters(new EnvelopeFilter(logger, ENVELOPE));
  limitServer(app.getHttpServer(), logger);
  // The document is made at its first request: making it takes longer than the rest of the start.
  let document: OpenAPIObject | undefined;
  const serveDocument: RequestHandler = (_request, response) => void response.json((document ??= describeApi(app)));
  app.use(`/${BASE}/openapi.json`, serveDocument);
  await app.listen(config.PORT, config.HOST);
  return app;
}
