import type { DataSource } from 'typeorm';

type Done<Result> = (error: unknown, result: Result) => void;

/** What we use of mysql2's connections, below TypeORM. The caller says what a statement gives, as with TypeORM's query. */
export interface Connection {
  query<Result>(sql: string, done: Done<Result>): unknown;
  /** The statement with its parameters in it, escaped. */
  format(sql: string, parameters: unknown[]): string;
  release(): void;
  destroy(): void;
}

/** What we use of mysql2's pool. */
export interface Pool {
  query<Result>(sql: string, parameters: unknown[], done: Done<Result>): unknown;
  getConnection(done: Done<Connection>): void;
  end(done: (error: unknown) => void): void;
  on(event: 'connection', listener: (connection: { query(sql: string): unknown }) => void): void;
}

/** The pool that TypeORM opened: statements without entities go to it directly, at a fraction of the cost. */
export function poolOf(source: DataSource): Pool {
  const { driver } = source;
  const pool: unknown = 'pool' in driver ? driver.pool : undefined;
  if (!isPool(pool)) throw new Error('The database driver has no pool');
  return pool;
}

export function isPool(pool: unknown): pool is Pool {
  return typeof pool === 'object' && pool !== null && 'getConnection' in pool && 'query' in pool && 'on' in pool;
}

/** An error of another realm (as under jest) keeps what it carries, its code above all, as the cause. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}
