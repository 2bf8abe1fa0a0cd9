import { ApiError } from '@batuta/errors';
import { DataSource, type EntityManager, type EntityTarget, type ObjectLiteral, type Repository } from 'typeorm';

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

/**
 * The database as the services see it: reads, writes and transactions. A transaction is a Store as well, so a
 * repository works the same inside and outside of one. A database that is away gives ApiError UNAVAILABLE.
 */
export class Store {
  private constructor(
    private readonly source: DataSource,
    private readonly manager: EntityManager,
    private readonly open: boolean,
  ) {}

  static of(source: DataSource): Store {
    return new Store(source, source.manager, false);
  }

  /** Rows of a SELECT. `?` stands for a parameter, an array gives `(?)` its list. */
  async rows<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return guarded(() => this.manager.query<Row[]>(sql, parameters));
  }

  async row<Row>(sql: string, parameters: unknown[] = []): Promise<Row | undefined> {
    const [first] = await this.rows<Row>(sql, parameters);
    return first;
  }

  /** INSERT, UPDATE or DELETE. */
  async write(sql: string, parameters: unknown[] = []): Promise<Written> {
    return guarded(() => this.manager.query<Written>(sql, parameters));
  }

  /** The entity's TypeORM repository, bound to this Store's transaction where there is one. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    return this.manager.getRepository(entity);
  }

  /**
   * Runs `work` in one transaction at READ COMMITTED and commits; any error rolls back. `work` must have no effect but
   * on the database: it runs again after a deadlock or lock timeout. Inside a transaction it joins it.
   */
  async transaction<T>(work: (store: Store) => Promise<T>): Promise<T> {
    if (this.open) return work(this);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await guarded(() => this.source.transaction((manager) => work(new Store(this.source, manager, true))));
      } catch (error) {
        if (attempt >= RETRIES || !isContention(error)) throw error;
      }
    }
  }

  async answers(): Promise<boolean> {
    return (await this.rows('SELECT 1')).length === 1;
  }

  async close(): Promise<void> {
    await this.source.destroy();
  }
}

/** The driver's code of a database error, such as `ER_DUP_ENTRY`. */
export function databaseErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'driverError' in error ? databaseErrorCode(error.driverError) : undefined;
}

export function isContention(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code === DEADLOCK || code === LOCK_TIMEOUT;
}

export function isDuplicate(error: unknown): boolean {
  return databaseErrorCode(error) === 'ER_DUP_ENTRY';
}

/** UNAVAILABLE in place of an error that says that the database is away; any other error as it is. */
export function databaseFault(error: unknown): unknown {
  const away = !(error instanceof ApiError) && (AWAY.has(databaseErrorCode(error) ?? '') || isClosedPool(error));
  return away ? new ApiError('UNAVAILABLE', 'The database is away for the moment; try again.') : error;
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
