import { ApiError } from '@batuta/errors';
import type { DataSource, EntityManager, EntityTarget, ObjectLiteral, Repository } from 'typeorm';
import type { BoundedPool } from './bounded-pool';
import { asError, databaseErrorCode, isUnfitServer } from './driver';
import { TransactionConnection } from './transaction-connection';

/** The result of a write. */
export interface Written {
  affectedRows: number;
  insertId: number;
}

const MAX_ATTEMPTS = 4;
const DEADLOCK = 'ER_LOCK_DEADLOCK';
const LOCK_TIMEOUT = 'ER_LOCK_WAIT_TIMEOUT';
/** Error codes of a database that cannot be reached. */
const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ER_SERVER_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
  'ER_NORMAL_SHUTDOWN',
  'ER_CONNECTION_KILLED',
  'POOL_CLOSED',
]);

/** The connections that a Store and its transactions share. */
interface SharedConnections {
  pool: BoundedPool;
  /** The connections accept several statements in one message. */
  pipelined: boolean;
  /** Present only in a Store with entities. */
  source?: DataSource;
  /** Limit of a statement, when it is not the pool's. */
  statementMs?: number;
}

type Statement = [sql: string, parameters: unknown[]];

/** The transaction that a Store runs in: TypeORM's in a Store with entities, else our own. */
type Transaction = { manager: EntityManager; statementsAtCommit: Statement[] } | { connection: TransactionConnection };

/**
 * Reads, writes and transactions of a service. A transaction is a Store too, so that repository functions work inside and
 * outside of one. While the database is away, every method throws ApiError UNAVAILABLE.
 */
export class Store {
  private constructor(
    private readonly shared: SharedConnections,
    private readonly current?: Transaction,
  ) {}

  static fromConnections(shared: SharedConnections): Store {
    return new Store(shared);
  }

  /** The rows of a SELECT. Each `?` is a parameter; an array becomes a list, as in `IN (?)`. */
  async rows<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.query<Row[]>(sql, parameters);
  }

  /** The first row of a SELECT. */
  async row<Row>(sql: string, parameters: unknown[] = []): Promise<Row | undefined> {
    const [first] = await this.rows<Row>(sql, parameters);
    return first;
  }

  /** Runs an INSERT, UPDATE or DELETE. */
  async write(sql: string, parameters: unknown[] = []): Promise<Written> {
    return this.query<Written>(sql, parameters);
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
   * Runs `work` in one transaction at READ COMMITTED and commits; an error rolls back. After a deadlock or lock timeout `work`
   * runs again, up to four times, so that it must have no effect outside of the database. Inside a transaction it joins that
   * transaction. A pipelined Store sends the statements of `Promise.all([tx.write(…), tx.rows(…)])` in one message, in order.
   */
  async transaction<T>(work: (store: Store) => Promise<T>): Promise<T> {
    if (this.current) return work(this);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await withDatabaseFaults(() => this.begin(work));
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS || !isContention(error)) throw error;
      }
    }
  }

  /** The same database, with another limit for each statement; without repositories. */
  withStatementLimit(statementMs: number): Store {
    return new Store({ ...this.shared, source: undefined, statementMs });
  }

  /** True when the server answers and accepts writes: one that turned read-only is renewed by its cluster, not by waiting. */
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
    return withDatabaseFaults(() => {
      const { current } = this;
      if (!current) return queryPool<T>(this.shared, sql, parameters);
      if ('connection' in current) return current.connection.query<T>(sql, parameters);
      return current.manager.query<T>(sql, parameters);
    });
  }

  private begin<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return this.shared.source ? this.inTypeOrmTransaction(this.shared.source, work) : this.inOwnTransaction(work);
  }

  private inTypeOrmTransaction<T>(source: DataSource, work: (store: Store) => Promise<T>): Promise<T> {
    return source.transaction(async (manager) => {
      const statementsAtCommit: Statement[] = [];
      const result = await work(new Store(this.shared, { manager, statementsAtCommit }));
      for (const [sql, parameters] of statementsAtCommit) await manager.query(sql, parameters);
      return result;
    });
  }

  private async inOwnTransaction<T>(work: (store: Store) => Promise<T>): Promise<T> {
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

/** True for a deadlock or lock timeout. */
export function isContention(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code === DEADLOCK || code === LOCK_TIMEOUT;
}

/** True for a violated primary or unique key. */
export function isDuplicate(error: unknown): boolean {
  return databaseErrorCode(error) === 'ER_DUP_ENTRY';
}

/** True for an error that says that the database cannot be reached or that this server of it must not be used. */
export function isAway(error: unknown): boolean {
  return (
    !(error instanceof ApiError) &&
    (AWAY.has(databaseErrorCode(error) ?? '') || isUnfitServer(error) || isClosedPool(error))
  );
}

/** UNAVAILABLE in place of an error that says that the database cannot be reached; any other error unchanged. */
export function databaseFault(error: unknown): unknown {
  return isAway(error) ? new ApiError('UNAVAILABLE', 'The database is away for the moment; try again.') : error;
}

function queryPool<T>({ pool, statementMs }: SharedConnections, sql: string, parameters: unknown[]): Promise<T> {
  return new Promise((resolve, reject) => {
    pool.query<T>(sql, parameters, (error, result) => (error ? reject(asError(error)) : resolve(result)), statementMs);
  });
}

/** Servers write the variable as a number or as a word. */
function isWritable(readOnly: unknown): boolean {
  return readOnly === 0 || readOnly === '0' || readOnly === 'OFF';
}

async function withDatabaseFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw databaseFault(error);
  }
}

function isClosedPool(error: unknown): boolean {
  return (
    error instanceof Error &&
    /pool is closed|closed state|connection lost|connect ETIMEDOUT|connection is not established/i.test(error.message)
  );
}
