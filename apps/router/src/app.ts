import { openStore } from '@batuta/database';
import { natsMicroservice, Rpc } from '@batuta/messaging';
import {
  createLogger,
  limitServer,
  Metrics,
  nestLogger,
  repeat,
  type Logger,
  type Repetition,
} from '@batuta/observability';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Server } from 'node:http';
import { RouterModule } from './app.module';
import type { RouterConfig } from './config';
import { addressReader } from './connections/address';
import { EnvelopeFilter } from './envelope.filter';
import { RouterFigures } from './figures';
import { within } from './keep-asking';
import { buildParts, type RouterParts } from './parts';

export interface Router {
  /** Health and metrics; agents connect to the same address by WebSocket. */
  url: string;
  /** Claims no more, lets reports under way end, and sends the agents to other routers. Twice is once. */
  close(): Promise<void>;
}

const SETTLE_MS = 5_000;
const WATCHES_PER_LEASE = 40;

/** The agents' edge: sessions, presence, dispatch and reports. */
export async function createRouter(config: RouterConfig): Promise<Router> {
  const logger = createLogger('router', config.LOG_LEVEL);
  const store = await openStore({ url: config.DATABASE_URL, pool: config.DATABASE_POOL });
  const metrics = new Metrics('router');
  let rpc: Rpc | undefined;
  const release = async () => {
    await rpc?.close();
    await store.close();
    metrics.close();
  };
  try {
    rpc = await Rpc.connect(config.NATS_URL, 'router');
    const parts = buildParts(config, { rpc, logger, figures: new RouterFigures(metrics) }, store);
    metrics.gauge('batuta_router_sessions', 'Agents connected here.', () => parts.sessions.size);
    const app = await listening(config, RouterModule.of(parts, store, rpc, metrics), parts, logger);
    const stopRounds = startRounds(config, parts, logger);
    let closing: Promise<void> | undefined;
    const closeOnce = () => (closing ??= close(app, parts, stopRounds).then(release));
    return { url: await app.getUrl(), close: closeOnce };
  } catch (error) {
    await release();
    throw error;
  }
}

async function listening(
  config: RouterConfig,
  module: ReturnType<typeof RouterModule.of>,
  { gate }: RouterParts,
  logger: Logger,
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(module, {
    logger: nestLogger(logger),
    abortOnError: false,
  });
  app.connectMicroservice(natsMicroservice(config.NATS_URL, 'router'));
  app.disable('x-powered-by');
  app.set('trust proxy', config.TRUST_PROXY);
  app.useGlobalFilters(new EnvelopeFilter());
  admitAgents(app, gate, logger);
  try {
    await app.startAllMicroservices();
    await app.listen(config.PORT, config.HOST);
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

function admitAgents(app: NestExpressApplication, gate: RouterParts['gate'], logger: Logger): void {
  const server: Server = app.getHttpServer();
  const addressOf = addressReader(app);
  limitServer(server, logger);
  server.on('upgrade', (request, socket, head) => gate.upgrade(request, socket, head, addressOf(request)));
}

function startRounds(config: RouterConfig, parts: RouterParts, logger: Logger): () => Promise<void> {
  const { times, leases, dispatch, wishes, environments, rows } = parts;
  const rounds: Repetition[] = [
    repeat('leases', times.renewMs, () => leases.renew(), logger),
    repeat('queues', config.POLL_MS, () => dispatch.poll(), logger),
    repeat('wanted states', config.POLL_MS, () => wishes.reconcile(), logger),
    repeat('environments', config.ENVIRONMENTS_MS, () => environments.checkAll(), logger),
    repeat('old sessions', config.SWEEP_MS, () => rows.deleteAllOld(), logger),
  ];
  const watch = setInterval(() => leases.watch(), times.leaseMs / WATCHES_PER_LEASE).unref();
  return async () => {
    await Promise.all(rounds.map((round) => round.stop()));
    clearInterval(watch);
  };
}

async function close(app: NestExpressApplication, parts: RouterParts, stopRounds: () => Promise<void>): Promise<void> {
  const { gate, custody, dispatch, sessions, reports, departures, releases } = parts;
  const bounded = (work: Promise<unknown>) => within(SETTLE_MS, work, 'Stopping').catch(() => undefined);
  for (const session of sessions.all()) session.socket.pause();
  await bounded(Promise.all([dispatch.stop(), stopRounds()]));
  await bounded(Promise.all([custody.settled(), reports.settled()]));
  gate.close();
  for (const session of sessions.all()) departures.end(session, 'GOING_AWAY');
  await bounded(Promise.all([departures.settled(), releases.settled()]));
  await app.close();
}
