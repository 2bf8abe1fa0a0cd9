import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntitySchema } from 'typeorm';
import { poolOf } from './driver';
import { MIGRATIONS } from './migrations';
import { connectionSettings, openPool, prepareConnections, SESSION, type DatabaseSettings } from './pool';
import { isAway, Store } from './store';

/** Whoever starts a service together with its database need not know which of them is first. */
const WAIT_MILLISECONDS = 60_000;
const PAUSE_MILLISECONDS = 500;

type Entities = (EntitySchema | (new () => object))[];

/** TypeORM, opened. It is loaded only here: a service without entities saves 20 MB by doing without it. */
export async function openDataSource(config: DatabaseSettings, entities: Entities = []): Promise<DataSource> {
  const { DataSource: Source } = await import('typeorm');
  const settings = connectionSettings(config);
  const source = new Source({
    // The `mariadb` type speaks to MySQL 8.4 as well: no statement of ours uses what only one of them has.
    type: 'mariadb',
    url: config.url,
    entities,
    migrations: MIGRATIONS,
    migrationsTableName: 'schema_migration',
    poolSize: config.pool,
    ...settings,
    // What TypeORM does not know it hands on from here.
    extra: settings,
  });
  return source.initialize();
}

/**
 * Opens the database; with `entities` also their repositories. Waits for a database that is away, as long as that may be,
 * and throws what is wrong with it then, or any other error at once.
 */
export async function openStore(
  config: DatabaseSettings,
  entities: Entities = [],
  { waitMilliseconds = WAIT_MILLISECONDS } = {},
): Promise<Store> {
  const until = performance.now() + waitMilliseconds;
  for (;;) {
    try {
      return await openNow(config, entities);
    } catch (error) {
      if (!isAway(error) || performance.now() >= until) throw error;
      await sleep(PAUSE_MILLISECONDS);
    }
  }
}

async function openNow(config: DatabaseSettings, entities: Entities): Promise<Store> {
  const { pipelined = false } = config;
  if (entities.length === 0) return Store.of({ pool: await openPool(config), pipelined });
  const source = await openDataSource(config, entities);
  const pool = poolOf(source);
  prepareConnections(pool);
  // The one connection that was opened before anybody listened.
  const first = source.createQueryRunner();
  for (const statement of SESSION) await first.query(statement);
  await first.release();
  return Store.of({ pool, pipelined, source });
}
