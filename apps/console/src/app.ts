import { openStore } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { closeServer, createLogger, limitServer, Metrics, nestLogger, repeat } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import { REGISTRY_ENTITIES } from './registry';
import type { ConsoleConfig } from './config';
import { ConsoleModule } from './console.module';
import { EnvelopeFilter } from './http/envelope.filter';
import { BASE } from './http/endpoint';
import { jsonBody } from './http/json-body';
import { observed, requestID } from './http/request-id';
import type { ConsoleParts } from './parts';
import { describeApi } from './openapi/document';
import { Logins } from './sessions/logins';
import { ensureOperator } from './sessions/operator';
import { Passwords } from './sessions/passwords';

const LAST_ANSWERS_MILLISECONDS = 5_000;

/** The management API `/manage/v1`. */
export async function createConsole(config: ConsoleConfig): Promise<{ url: string; close(): Promise<void> }> {
  const logger = createLogger('console', config.LOG_LEVEL);
  const keyRing = new KeyRing(config.SECRET_KEYS);
  const metrics = new Metrics('console');
  const store = await openStore({ url: config.DATABASE_URL, pool: config.DATABASE_POOL }, REGISTRY_ENTITIES);
  const rpc = await Rpc.connect(config.NATS_URL, 'console', { timeout: config.READ_TIMEOUT_MS });
  const leave = async () => {
    await rpc.close();
    await store.close();
    metrics.close();
  };
  try {
    const passwords = new Passwords();
    await ensureOperator(store, passwords, config);
    const app = await listen({ config, store, rpc, keyRing, metrics, logger, passwords });
    const logins = app.get(Logins);
    const sweep = repeat('expired logins', config.SWEEP_MS, () => logins.sweep(), logger);
    return {
      url: (await app.getUrl()).replace('[::1]', '127.0.0.1'),
      async close() {
        await sweep.stop();
        await closeServer(app, LAST_ANSWERS_MILLISECONDS);
        await leave();
      },
    };
  } catch (error) {
    await leave();
    throw error;
  }
}

async function listen(parts: ConsoleParts & { passwords: Passwords }): Promise<NestExpressApplication> {
  const { config, logger, metrics } = parts;
  const app = await NestFactory.create<NestExpressApplication>(ConsoleModule.of(parts), {
    logger: nestLogger(logger),
    abortOnError: false,
    bodyParser: false,
  });
  app.disable('x-powered-by');
  app.set('trust proxy', config.TRUST_PROXY);
  app.use(requestID, observed(logger, metrics), jsonBody);
  app.useGlobalFilters(new EnvelopeFilter(logger));
  limitServer(app.getHttpServer(), logger);
  const document = describeApi(app);
  const describe: RequestHandler = (_request, response) => void response.json(document);
  app.use(`/${BASE}/openapi.json`, describe);
  await app.listen(config.PORT, config.HOST);
  return app;
}
