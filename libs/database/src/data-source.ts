import { retry } from '@batuta/async';
import type { DataSource, EntitySchema } from 'typeorm';
import type { BoundedPool } from './bounded-pool';
import { isUnfitServer } from './driver';
import { MIGRATIONS } from './migrations';
import { createBoundedPool, openPool, type DatabaseOptions } from './pool';
import { isDatabaseAway, Store } from './store';

/** Time limit for a database that starts together with its services. */
const MAX_WAIT_MS = 60_000;
const RETRY_INTERVAL_MS = 500;

type Entities = (EntitySchema | (new () => object))[];

/** A TypeORM data source on a BoundedPool, which limits the time of statements and of waits for a connection. */
export interface OpenedDataSource {
  source: DataSource;
  pool: BoundedPool;
}

/** TypeORM is imported only here: a service without entities saves 20 MB of memory. */
export async function openDataSource(config: DatabaseOptions, entities: Entities = []): Promise<OpenedDataSource> {
  const { DataSource: Source } = await import('typeorm');
  const pool = createBoundedPool(config);
  const source = new Source({
    // The type `mariadb` also works with MySQL 8.4: no statement uses a feature of only one of them.
    type: 'mariadb',
    url: config.url,
    entities,
    migrations: MIGRATIONS,
    migrationsTableName: 'schema_migration',
    driver: { createPool: () => pool },
  });
  await source.initialize();
  source.subscribers.push({
    afterQuery: ({ success, error }) => {
      if (!success && isUnfitServer(error)) pool.renew();
    },
  });
  return { source, pool };
}

/**
 * Opens the database, with TypeORM repositories for `entities`. Retries for `waitMs` while the database is away and then
 * throws its error; throws any other error at once. `onAway` gets the error of the first attempt that is repeated.
 */
export async function openStore(
  config: DatabaseOptions,
  entities: Entities = [],
  { waitMs = MAX_WAIT_MS, onAway }: { waitMs?: number; onAway?: (error: unknown) => void } = {},
): Promise<Store> {
  const until = performance.now() + waitMs;
  return retry(() => openNow(config, entities), {
    pauseAfter: (error, failures) => {
      if (!isDatabaseAway(error) || performance.now() >= until) return undefined;
      if (failures === 1) onAway?.(error);
      return RETRY_INTERVAL_MS;
    },
  });
}

async function openNow(config: DatabaseOptions, entities: Entities): Promise<Store> {
  const { pipelined = false } = config;
  if (entities.length === 0) return Store.fromConnections({ pool: await openPool(config), pipelined });
  const { source, pool } = await openDataSource(config, entities);
  return Store.fromConnections({ pool, pipelined, source });
}
