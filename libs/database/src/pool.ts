import { createPool } from 'mysql2';
import { asError, isPool, type Pool } from './driver';

export interface DatabaseSettings {
  /** `mysql://user:password@host:port/database` */
  url: string;
  /** Connections at the most. */
  pool: number;
  /** See Store.transaction. Off by default: a connection that takes several statements in a message trusts its escaping more. */
  pipelined?: boolean;
}

/** How connections are made, with TypeORM or without. */
export function connectionSettings({ pool, pipelined = false }: DatabaseSettings) {
  return {
    timezone: 'Z',
    charset: 'utf8mb4',
    supportBigNumbers: true,
    bigNumberStrings: false,
    multipleStatements: pipelined,
    // A stack trace for each statement would cost more than many a statement.
    trace: false,
    connectTimeout: 3_000,
    enableKeepAlive: true,
    maxIdle: pool,
  };
}

/** Who waits longer for a lock tries again (`Store.transaction`). MySQL takes the rest, MariaDB's own, for a comment. */
const LOCKS = 'SET SESSION innodb_lock_wait_timeout = 5 /*M! , SESSION idle_transaction_timeout = 10 */';

/**
 * A machine that is lost in the middle of a transaction says no goodbye: the server would keep its locks for hours, and
 * with them everything that shares a batch with what they lock.
 */
export const SESSION = ['SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED', "SET time_zone = '+00:00'", LOCKS];

/** A pool whose first connection is there already. */
export async function openPool(config: DatabaseSettings): Promise<Pool> {
  const settings = { ...connectionSettings(config), connectionLimit: config.pool, stringifyObjects: true };
  const pool: unknown = createPool({ uri: config.url, ...settings });
  if (!isPool(pool)) throw new Error('The database driver has no pool');
  prepareConnections(pool);
  await new Promise<void>((resolve, reject) => {
    pool.getConnection((error, connection) => {
      if (!error) {
        connection.release();
        resolve();
      } else pool.end(() => reject(asError(error)));
    });
  });
  return pool;
}

/**
 * Every connection made from now on reads committed rows only: under the default level, claims with SKIP LOCKED deadlock
 * each other.
 */
export function prepareConnections(pool: Pool): void {
  pool.on('connection', (connection) => {
    for (const statement of SESSION) connection.query(statement);
  });
}
