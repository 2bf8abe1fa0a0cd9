import { DataSource, type EntitySchema } from 'typeorm';
import { poolOf } from './driver';
import { MIGRATIONS } from './migrations';
import { Store } from './store';

export interface DatabaseConfig {
  /** `mysql://user:password@host:port/database` */
  url: string;
  /** Connections at the most. */
  pool: number;
  /** See Store.transaction. Off by default: a connection that takes several statements in a message trusts its escaping more. */
  pipelined?: boolean;
}

type Entities = (EntitySchema | (new () => object))[];

const CONNECT_MILLISECONDS = 3_000;

export function dataSource(config: DatabaseConfig, entities: Entities = []): DataSource {
  return new DataSource({
    // The `mariadb` type speaks to MySQL 8.4 as well: no statement of ours uses what only one of them has.
    type: 'mariadb',
    url: config.url,
    entities,
    migrations: MIGRATIONS,
    migrationsTableName: 'schema_migration',
    timezone: 'Z',
    charset: 'utf8mb4',
    supportBigNumbers: true,
    bigNumberStrings: false,
    poolSize: config.pool,
    multipleStatements: config.pipelined ?? false,
    // A stack trace for each statement would cost more than many a statement.
    trace: false,
    connectTimeout: CONNECT_MILLISECONDS,
    extra: { enableKeepAlive: true, maxIdle: config.pool },
  });
}

const SESSION = ['SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED', "SET time_zone = '+00:00'"];

/**
 * Opens the pool. Every connection reads committed rows only: under the default level, claims with SKIP LOCKED
 * deadlock each other.
 */
export async function openStore(config: DatabaseConfig, entities: Entities = []): Promise<Store> {
  const source = await dataSource(config, entities).initialize();
  poolOf(source).on('connection', (connection) => {
    for (const statement of SESSION) connection.query(statement);
  });
  // The one connection that was opened before anybody listened.
  const first = source.createQueryRunner();
  for (const statement of SESSION) await first.query(statement);
  await first.release();
  return Store.of(source, config);
}
