import { createPool, setMaxParserCache } from 'mysql2';
import { BoundedPool, type PoolLimits, type SessionStatement } from './bounded-pool';
import { asError, isPool } from './driver';

/**
 * Default time limit of a statement. It is shorter than all attempts of a start together, so that after a COMMIT without a reply a later
 * attempt finds the stored start.
 */
const STATEMENT_TIME_LIMIT_MS = 4_000;
/** The time limits of the wait for a connection and of opening one are shorter by this than that of a statement, within the bounds below. */
const CONNECTION_HEADROOM_MS = 1_000;
/**
 * The bounds of these two time limits. Opening a connection takes several round trips, also where statements have a short time limit; and a
 * migration, whose statements may take an hour, must notice within a minute that its server is gone.
 */
const MIN_CONNECTION_MS = 3_000;
const MAX_CONNECTION_MS = 59_000;
/** TCP keep-alive probes notice a vanished machine, also during a statement with a long time limit. */
const KEEP_ALIVE_INTERVAL_MS = 10_000;
const MAX_LOCK_WAIT_SECONDS = 5;

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
  /** Time limit of a statement: its connection is destroyed after this time without a byte from the server. */
  statementMs?: number;
  /** Time limit of opening a connection; by default the same as the longest wait for a free connection. */
  connectMs?: number;
}

/**
 * The driver generates a row parser for each set of columns, and preallocates a cache of 15,000 of them by default. A service reads a few hundred
 * sets.
 */
const MAX_CACHED_ROW_PARSERS = 1_000;
setMaxParserCache(MAX_CACHED_ROW_PARSERS);

/** Options of every connection. */
function connectionOptions({ url, pool, pipelined = false, connectMs }: DatabaseOptions & { connectMs: number }) {
  return {
    uri: url,
    connectionLimit: pool,
    timezone: 'Z',
    charset: 'utf8mb4',
    supportBigNumbers: true,
    bigNumberStrings: false,
    multipleStatements: pipelined,
    // Off, because a stack trace per statement costs more than many statements.
    trace: false,
    connectTimeout: connectMs,
    enableKeepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_INTERVAL_MS,
    maxIdle: pool,
    stringifyObjects: true,
    // No statement is prepared. By default each connection preallocates a cache of 16,000 prepared statements, half a megabyte.
    maxPreparedStatements: 1,
  };
}

/**
 * The statements that prepare a new connection, in this order:
 * - The isolation level: under the default level, claims with SKIP LOCKED deadlock.
 * - The SQL mode, in place of that of the server, whatever this is: without the strict mode, a server may store an empty value in place of a
 *   missing one; and with NO_BACKSLASH_ESCAPES it would end a text at a quote that the driver has escaped, so that a value could be SQL.
 * - Commits: a statement outside of a transaction commits at once, also where the server is set otherwise.
 * - The waits for a row and for a table end before a time limit of the statement that is longer than a second, so that `Store.transaction` can
 *   retry. The idle limit ends the transaction of a machine that was lost, whose locks would otherwise stay for hours; MySQL reads this part as
 *   a comment.
 * - A list of a thousand ids or more is read by the index, as a shorter one is. By default MariaDB makes it a table and joins it, and locks rows
 *   in the order of that table whatever the ORDER BY, so that transactions with the same rows deadlock. MySQL lacks the variable.
 * - A read at a node of a Galera cluster waits until the node has applied earlier commits of the other nodes: a credential that was revoked
 *   there must not be valid here. Servers outside of a cluster do not wait, or lack the variable.
 */
function sessionStatements(statementMs: number): SessionStatement[] {
  const tableWait = Math.max(1, Math.floor(statementMs / 1_000) - 1);
  const rowWait = Math.min(MAX_LOCK_WAIT_SECONDS, tableWait);
  return [
    { sql: 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED' },
    {
      sql: "SET autocommit = 1, time_zone = '+00:00', SESSION sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
    },
    {
      sql: `SET SESSION innodb_lock_wait_timeout = ${rowWait}, SESSION lock_wait_timeout = ${tableWait} /*M! , SESSION idle_transaction_timeout = 10 */`,
    },
    { sql: 'SET SESSION in_predicate_conversion_threshold = 0', mayLackVariable: true },
    { sql: 'SET SESSION wsrep_sync_wait = @@wsrep_sync_wait | 1', mayLackVariable: true },
  ];
}

/** Creates a pool, which opens its connections when they are needed. */
export function createBoundedPool(
  config: DatabaseOptions,
  waiting: Partial<Pick<PoolLimits, 'waitMs' | 'maxWaiting'>> = {},
): BoundedPool {
  const { pool: connections, statementMs = STATEMENT_TIME_LIMIT_MS } = config;
  const waitMs = Math.min(MAX_CONNECTION_MS, Math.max(MIN_CONNECTION_MS, statementMs - CONNECTION_HEADROOM_MS));
  const { connectMs = waitMs } = config;
  const pool: unknown = createPool(connectionOptions({ ...config, connectMs }));
  if (!isPool(pool)) throw new Error('The database driver has no pool');
  return new BoundedPool(pool, { connections, statementMs, waitMs, ...waiting }, sessionStatements(statementMs));
}

/** Opens a pool and its first connection; throws the error of that connection. */
export async function openPool(config: DatabaseOptions): Promise<BoundedPool> {
  const pool = createBoundedPool(config);
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
