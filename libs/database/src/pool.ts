import { createPool } from 'mysql2';
import { asError, isPool, type Pool } from './driver';

export interface DatabaseOptions {
  /** `mysql://user:password@host:port/database` */
  url: string;
  /** Maximum number of connections. */
  pool: number;
  /**
   * Sends several statements in one message (see Store.transaction). Off by default, because the server then accepts several
   * statements in one text, which makes an escaping mistake worse.
   */
  pipelined?: boolean;
}

/** Options of every connection, with TypeORM or without. */
export function connectionOptions({ pool, pipelined = false }: DatabaseOptions) {
  return {
    timezone: 'Z',
    charset: 'utf8mb4',
    supportBigNumbers: true,
    bigNumberStrings: false,
    multipleStatements: pipelined,
    // A stack trace costs more than many statements.
    trace: false,
    connectTimeout: 3_000,
    enableKeepAlive: true,
    maxIdle: pool,
  };
}

/**
 * `Store.transaction` retries after a lock timeout. A machine that is lost in a transaction leaves its connection open: MariaDB
 * ends the transaction after ten seconds, where its locks would otherwise stay for hours. MySQL reads that part as a comment.
 */
const LOCK_TIMEOUTS = 'SET SESSION innodb_lock_wait_timeout = 5 /*M! , SESSION idle_transaction_timeout = 10 */';

/** The statements that prepare a new connection. Under the default isolation level, claims with SKIP LOCKED deadlock. */
export const SESSION_STATEMENTS = [
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  "SET time_zone = '+00:00'",
  LOCK_TIMEOUTS,
];

/** Opens a pool and its first connection; throws the error of that connection. */
export async function openPool(config: DatabaseOptions): Promise<Pool> {
  const settings = { ...connectionOptions(config), connectionLimit: config.pool, stringifyObjects: true };
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

/** Prepares every connection that the pool opens from now on. */
export function prepareConnections(pool: Pool): void {
  pool.on('connection', (connection) => {
    for (const statement of SESSION_STATEMENTS) connection.query(statement);
  });
}
