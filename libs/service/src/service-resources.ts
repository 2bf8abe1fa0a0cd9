import { DatabaseClock, openStore, type Store } from '@batuta/database';
import { JsonThread } from '@batuta/json';
import { Rpc } from '@batuta/messaging';
import { countFailedCalls, watchNats, watchPool } from './resource-metrics';
import { createLogger, Metrics, type Logger } from '@batuta/observability';
import { isTracing, startTracing, type TraceSettings } from '@batuta/tracing';

interface ResourceSettings extends TraceSettings {
  LOG_LEVEL: string;
  DATABASE_URL: string;
  DATABASE_POOL: number;
  DATABASE_STATEMENT_MS: number;
  NATS_URL: string;
}

export interface ResourceOptions {
  /** TypeORM entities; a service without any does not load TypeORM. */
  entities?: Parameters<typeof openStore>[1];
  /**
   * Sends several statements of a transaction in one message; off by default, because the server then accepts several statements in one
   * text.
   */
  pipelined?: boolean;
  /** Time limit in milliseconds of the calls over NATS that name none; default: 5,000. */
  rpcTimeout?: number;
}

/** The resources that a service holds open from its start to its end. */
export interface ServiceResources {
  readonly logger: Logger;
  readonly store: Store;
  readonly databaseClock: DatabaseClock;
  readonly rpc: Rpc;
  readonly metrics: Metrics;
  readonly jsonThread: JsonThread;
  /** Closes the resources, NATS first; the service must no longer use them. */
  release(): Promise<void>;
}

/**
 * Connects the service of the given name to its database and to NATS. Waits for a database that is not up yet for about a minute, and then
 * throws its error; waits for a NATS server without end.
 */
export async function openResources(
  service: string,
  settings: ResourceSettings,
  { entities, pipelined, rpcTimeout }: ResourceOptions = {},
): Promise<ServiceResources> {
  const logger = createLogger(service, settings.LOG_LEVEL);
  const { DATABASE_URL: url, DATABASE_POOL: pool, DATABASE_STATEMENT_MS: statementMs } = settings;
  const stopTracing = startTracing(service, settings, logger);
  const store = await openStore({ url, pool, pipelined, statementMs }, entities, {
    onAway: (error) => logger.warn({ err: error }, 'the database does not answer; the service waits for it'),
  });
  try {
    const databaseClock = await DatabaseClock.read(store);
    const metrics = new Metrics(service, { exemplars: isTracing() });
    watchPool(store, metrics, logger);
    const onFailure = countFailedCalls(metrics);
    const rpc = await Rpc.connect(settings.NATS_URL, service, { timeout: rpcTimeout, logger, onFailure });
    watchNats(rpc, metrics);
    const jsonThread = new JsonThread();
    const release = async () => {
      await rpc.close();
      await store.close();
      await jsonThread.close();
      metrics.close();
      await stopTracing();
    };
    return { logger, store, databaseClock, rpc, metrics, jsonThread, release };
  } catch (error) {
    await store.close();
    await stopTracing();
    throw error;
  }
}
