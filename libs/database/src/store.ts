import { ApiError } from '@batuta/errors';
import type { DataSource, EntityManager, EntityTarget, ObjectLiteral, Repository } from 'typeorm';
import { asError, type Pool } from './driver';
import { Session } from './session';

export interface Written {
  affectedRows: number;
  insertId: number;
}

const RETRIES = 4;
const DEADLOCK = 'ER_LOCK_DEADLOCK';
const LOCK_TIMEOUT = 'ER_LOCK_WAIT_TIMEOUT';
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

/** What all Stores of one service share. */
interface Base {
  pool: Pool;
  /** The connections allow several statements in a message. */
  pipelined: boolean;
  /** Only of a Store with entities. */
  source?: DataSource;
}

type Statement = [sql: string, parameters: unknown[]];

/** The transaction that a Store stands for: TypeORM's where there are entities, else our own. */
type Inside = { manager: EntityManager; left: Statement[] } | { session: Session };

/**
 * The database as the services see it: reads, writes and transactions. A transaction is a Store as well, so a
 * repository works the same inside and outside of one. A database that is away gives ApiError UNAVAILABLE.
 */
export class Store {
  private constructor(
    private readonly base: Base,
    private readonly inside?: Inside,
  ) {}

  static of(base: Base): Store {
    return new Store(base);
  }

  /** Rows of a SELECT. `?` stands for a parameter, an array gives `(?)` its list. */
  async rows<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.query<Row[]>(sql, parameters);
  }

  async row<Row>(sql: string, parameters: unknown[] = []): Promise<Row | undefined> {
    const [first] = await this.rows<Row>(sql, parameters);
    return first;
  }

  /** INSERT, UPDATE or DELETE. */
  async write(sql: string, parameters: unknown[] = []): Promise<Written> {
    return this.query<Written>(sql, parameters);
  }

  /**
   * A write whose result nobody needs, left for the transaction's end, in their order: of a pipelined Store they travel
   * with the COMMIT. What is read before then does not see them.
   */
  atCommit(sql: string, parameters: unknown[] = []): void {
    if (!this.inside) throw new Error('Not inside a transaction');
    if ('session' in this.inside) this.inside.session.atCommit(sql, parameters);
    else this.inside.left.push([sql, parameters]);
  }

  /** The entity's TypeORM repository, bound to this Store's transaction where there is one. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    const { source } = this.base;
    if (!source) throw new Error('This Store was opened without entities');
    return this.inside && 'manager' in this.inside
      ? this.inside.manager.getRepository(entity)
      : source.getRepository(entity);
  }

  /**
   * Runs `work` in one transaction at READ COMMITTED and commits; any error rolls back. `work` must have no effect but
   * on the database: it runs again after a deadlock or lock timeout. Inside a transaction it joins it. When the Store is
   * pipelined, statements asked for together travel together (`await Promise.all([tx.write(…), tx.rows(…)])`), in order.
   */
  async transaction<T>(work: (store: Store) => Promise<T>): Promise<T> {
    if (this.inside) return work(this);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await guarded(() => this.begin(work));
      } catch (error) {
        if (attempt >= RETRIES || !isContention(error)) throw error;
      }
    }
  }

  async ping(): Promise<boolean> {
    return (await this.rows('SELECT 1')).length === 1;
  }

  async close(): Promise<void> {
    const { source, pool } = this.base;
    if (source) return source.destroy();
    return new Promise((resolve, reject) => pool.end((error) => (error ? reject(asError(error)) : resolve())));
  }

  private query<T>(sql: string, parameters: unknown[]): Promise<T> {
    return guarded(() => {
      const { inside } = this;
      if (!inside) return ask<T>(this.base.pool, sql, parameters);
      if ('session' in inside) return inside.session.query<T>(sql, parameters);
      return inside.manager.query<T>(sql, parameters);
    });
  }

  private begin<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return this.base.source ? this.inManager(this.base.source, work) : this.inSession(work);
  }

  private inManager<T>(source: DataSource, work: (store: Store) => Promise<T>): Promise<T> {
    return source.transaction(async (manager) => {
      const left: Statement[] = [];
      const result = await work(new Store(this.base, { manager, left }));
      for (const [sql, parameters] of left) await manager.query(sql, parameters);
      return result;
    });
  }

  private async inSession<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const session = await Session.open(this.base);
    try {
      const result = await work(new Store(this.base, { session }));
      await session.commit();
      return result;
    } catch (error) {
      await session.rollback();
      throw error;
    }
  }
}

/** The driver's code of a database error, such as `ER_DUP_ENTRY`. */
export function databaseErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if ('driverError' in error) return databaseErrorCode(error.driverError);
  return 'cause' in error ? databaseErrorCode(error.cause) : undefined;
}

export function isContention(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code === DEADLOCK || code === LOCK_TIMEOUT;
}

export function isDuplicate(error: unknown): boolean {
  return databaseErrorCode(error) === 'ER_DUP_ENTRY';
}

/** Whether the error says that the database cannot be reached for the moment. */
export function isAway(error: unknown): boolean {
  return !(error instanceof ApiError) && (AWAY.has(databaseErrorCode(error) ?? '') || isClosedPool(error));
}

/** UNAVAILABLE in place of an error that says that the database is away; any other error as it is. */
export function databaseFault(error: unknown): unknown {
  return isAway(error) ? new ApiError('UNAVAILABLE', 'The database is away for the moment; try again.') : error;
}

function ask<T>(pool: Pool, sql: string, parameters: unknown[]): Promise<T> {
  return new Promise((resolve, reject) => {
    pool.query<T>(sql, parameters, (error, result) => (error ? reject(asError(error)) : resolve(result)));
  });
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
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
