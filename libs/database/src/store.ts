import { retry } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import type { DataSource, EntityManager, EntityTarget, ObjectLiteral, Repository } from 'typeorm';
import type { BoundedPool } from './bounded-pool';
import type { PoolState, PoolWatcher } from './pool-state';
import {
  asError,
  databaseErrorCode,
  isCutBeforeTls,
  isFailedTls,
  isRefusedPassword,
  isRefusingServer,
  isUnfitServer,
} from './driver';
import { TransactionConnection } from './transaction-connection';

/** The result of a write. */
export interface WriteResult {
  /** Of an UPDATE the rows that it found, changed or not. */
  affectedRows: number;
  /** 0 when the statement made no id. */
  insertId: number;
}

const MAX_ATTEMPTS = 4;
const DEADLOCK_CODE = 'ER_LOCK_DEADLOCK';
const LOCK_TIMEOUT_CODE = 'ER_LOCK_WAIT_TIMEOUT';
/**
 * Error codes of a database that cannot be reached, ends the connection, or accepts no further one for the moment, and of a pool that is
 * closed.
 */
const AWAY_CODES = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ER_SERVER_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_USER_LIMIT_REACHED',
  'ER_NORMAL_SHUTDOWN',
  'ER_CONNECTION_KILLED',
  'POOL_CLOSED',
]);

/** Error codes of a server whose disk is full. It has stored nothing, and stores again once there is room. */
const FULL_DISK_CODES = new Set(['ER_DISK_FULL', 'ER_RECORD_FILE_FULL']);

/** The connections that a Store and its transactions share. */
interface SharedConnections {
  pool: BoundedPool;
  /** Whether the connections accept several statements in one message. */
  pipelined: boolean;
  /** The data source of TypeORM; present only in a Store with entities. */
  source?: DataSource;
  /** Time limit of a statement where it differs from that of the pool. */
  statementMs?: number;
}

/** The UNAVAILABLE errors that report a server which answered and refused to write. */
const refusingServerFaults = new WeakSet<object>();
/** The UNAVAILABLE errors that report contention: the database rolled the work back in favor of another transaction. */
const contentionFaults = new WeakSet<object>();

type SqlStatement = [sql: string, parameters: unknown[]];

/** The transaction that a Store runs in: TypeORM's in a Store with entities, else one on a connection of the driver. */
type CurrentTransaction =
  | { manager: EntityManager; statementsAtCommit: SqlStatement[] }
  | { connection: TransactionConnection };

/**
 * Reads, writes and transactions of a service. A transaction is a Store too, so that repository functions work inside and
 * outside of one. While the database is away, statements and transactions throw ApiError UNAVAILABLE; only a repository outside of a
 * transaction throws the error of the driver.
 */
export class Store {
  private constructor(
    private readonly shared: SharedConnections,
    private readonly current?: CurrentTransaction,
  ) {}

  static fromConnections(shared: SharedConnections): Store {
    return new Store(shared);
  }

  /** The rows of a SELECT. Each `?` is a parameter; an array becomes a list, as in `IN (?)`. */
  async rows<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.query<Row[]>(sql, parameters);
  }

  /** The first row of a SELECT; undefined without one. */
  async row<Row>(sql: string, parameters: unknown[] = []): Promise<Row | undefined> {
    const [first] = await this.rows<Row>(sql, parameters);
    return first;
  }

  /** Runs an INSERT, UPDATE or DELETE. */
  async write(sql: string, parameters: unknown[] = []): Promise<WriteResult> {
    return this.query<WriteResult>(sql, parameters);
  }

  /**
   * Runs a write right before the COMMIT, in the order of the calls, and drops its result; a pipelined Store sends these writes
   * in one message with the COMMIT. Reads of the transaction do not see them. Throws outside of a transaction.
   */
  atCommit(sql: string, parameters: unknown[] = []): void {
    if (!this.current) throw new Error('Not inside a transaction');
    if ('connection' in this.current) this.current.connection.atCommit(sql, parameters);
    else this.current.statementsAtCommit.push([sql, parameters]);
  }

  /** The entity's TypeORM repository, in this Store's transaction if it is one. Throws in a Store without entities. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    const { source } = this.shared;
    if (!source) throw new Error('This Store was opened without entities');
    return this.current && 'manager' in this.current
      ? this.current.manager.getRepository(entity)
      : source.getRepository(entity);
  }

  /**
   * Runs `work` in one transaction at READ COMMITTED and commits; an error rolls back. `work` may run several times (see `repeatIfRolledBack`), and
   * must therefore have no effect outside of the database. On a Store that is a transaction, `work` joins that transaction. A pipelined
   * Store sends the statements of `Promise.all([tx.write(…), tx.rows(…)])` in one message, in order.
   */
  async transaction<T>(work: (store: Store) => Promise<T>): Promise<T> {
    if (this.current) return work(this);
    return repeatIfRolledBack(() => this.begin(work));
  }

  /** A store of the same database with another time limit for each statement; without repositories. */
  withStatementLimit(statementMs: number): Store {
    return new Store({ ...this.shared, source: undefined, statementMs });
  }

  /** Sets the watcher of the pool, in place of an earlier one. */
  watchPool(watcher: PoolWatcher): void {
    this.shared.pool.watch(watcher);
  }

  get poolState(): PoolState {
    return this.shared.pool.state;
  }

  /**
   * True when the server accepts writes; throws UNAVAILABLE when it does not answer. False for a read-only server, which stays read-only
   * until its cluster replaces it.
   */
  async ping(): Promise<boolean> {
    const server = await this.row<{ readOnly: unknown }>('SELECT @@global.read_only AS readOnly');
    return isWritable(server?.readOnly);
  }

  async close(): Promise<void> {
    const { source, pool } = this.shared;
    if (source) return source.destroy();
    return new Promise((resolve, reject) => pool.end((error) => (error ? reject(asError(error)) : resolve())));
  }

  private query<T>(sql: string, parameters: unknown[]): Promise<T> {
    const { current } = this;
    // Outside of a transaction, each statement is a transaction of its own.
    if (!current) return repeatIfRolledBack(() => queryPool<T>(this.shared, sql, parameters));
    const result =
      'connection' in current
        ? current.connection.query<T>(sql, parameters)
        : current.manager.query<T>(sql, parameters);
    // An error of contention is passed on unchanged until the transaction ends: the database has rolled the transaction back, and no
    // further statement may run in it.
    return result.catch((error: unknown) => {
      throw awayFault(error);
    });
  }

  private begin<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return this.shared.source ? this.inTypeOrmTransaction(this.shared.source, work) : this.inDriverTransaction(work);
  }

  private inTypeOrmTransaction<T>(source: DataSource, work: (store: Store) => Promise<T>): Promise<T> {
    return source.transaction(async (manager) => {
      const statementsAtCommit: SqlStatement[] = [];
      const result = await work(new Store(this.shared, { manager, statementsAtCommit }));
      for (const [sql, parameters] of statementsAtCommit) await manager.query(sql, parameters);
      return result;
    });
  }

  private async inDriverTransaction<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const connection = await TransactionConnection.open(this.shared);
    try {
      const result = await work(new Store(this.shared, { connection }));
      await connection.commit();
      return result;
    } catch (error) {
      await connection.rollback();
      throw error;
    }
  }
}

/**
 * Repeats work that the database has rolled back: makes up to four attempts when it meets a deadlock, a lock timeout or a lost certification
 * (which a node of a cluster reports as a deadlock, even at the COMMIT), and a further attempt on another connection when the server must
 * not be used.
 */
function repeatIfRolledBack<T>(work: () => Promise<T>): Promise<T> {
  let metRefusingServer = false;
  const pauseAfter = (error: unknown, failures: number): number | undefined => {
    if (isContention(error)) return failures < MAX_ATTEMPTS ? 0 : undefined;
    const isRefused = error instanceof ApiError && refusingServerFaults.has(error);
    if (!isRefused || metRefusingServer) return undefined;
    metRefusingServer = true;
    return 0;
  };
  return retry(() => work().catch(throwFault), { pauseAfter });
}

function throwFault(error: unknown): never {
  throw databaseFault(error);
}

/** True for a deadlock or lock timeout, and for the UNAVAILABLE that reports one. */
export function isContention(error: unknown): boolean {
  if (error instanceof ApiError) return contentionFaults.has(error);
  const code = databaseErrorCode(error);
  return code === DEADLOCK_CODE || code === LOCK_TIMEOUT_CODE;
}

/** True for a violated primary or unique key. */
export function isDuplicate(error: unknown): boolean {
  return databaseErrorCode(error) === 'ER_DUP_ENTRY';
}

/** True for the error of a NULL in a column that demands a value. */
export function isNotNullViolation(error: unknown): boolean {
  return databaseErrorCode(error) === 'ER_BAD_NULL_ERROR';
}

/** True for an error that says that the database cannot be reached or that this server of it must not be used. */
export function isDatabaseAway(error: unknown): boolean {
  return (
    !(error instanceof ApiError) &&
    (AWAY_CODES.has(databaseErrorCode(error) ?? '') ||
      isUnfitServer(error) ||
      isCutBeforeTls(error) ||
      isClosedPool(error))
  );
}

/**
 * UNAVAILABLE in place of an error of contention, or of a database that cannot be reached, must not be used, refuses the password, has a
 * certificate that is refused, or a full disk; any other error unchanged.
 */
export function databaseFault(error: unknown): unknown {
  if (error instanceof ApiError || !isContention(error)) return awayFault(error);
  const fault = new ApiError('UNAVAILABLE', 'The database is busy for the moment; try again.', { cause: error });
  contentionFaults.add(fault);
  return fault;
}

function awayFault(error: unknown): unknown {
  if (FULL_DISK_CODES.has(databaseErrorCode(error) ?? ''))
    return new ApiError('UNAVAILABLE', 'The disk of the database is full for the moment; try again.', { cause: error });
  // The last two are not in `isDatabaseAway`, because a service that starts with a wrong password or authority must not wait.
  if (!isDatabaseAway(error) && !isRefusedPassword(error) && !isFailedTls(error)) return error;
  const fault = new ApiError('UNAVAILABLE', 'The database is away for the moment; try again.', { cause: error });
  if (isRefusingServer(error)) refusingServerFaults.add(fault);
  return fault;
}

function queryPool<T>({ pool, statementMs }: SharedConnections, sql: string, parameters: unknown[]): Promise<T> {
  return new Promise((resolve, reject) => {
    pool.query<T>(sql, parameters, (error, result) => (error ? reject(asError(error)) : resolve(result)), statementMs);
  });
}

/** Reads the server's variable, which some servers write as a number and others as a word. */
function isWritable(readOnly: unknown): boolean {
  return readOnly === 0 || readOnly === '0' || readOnly === 'OFF';
}

function isClosedPool(error: unknown): boolean {
  return (
    error instanceof Error &&
    /pool is closed|closed state|connection lost|connect ETIMEDOUT|connection is not established/i.test(error.message)
  );
}
