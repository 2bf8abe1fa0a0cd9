import type { DataSource } from 'typeorm';

type Callback<Result> = (error: unknown, result: Result) => void;

/** The part of mysql2's connection that this library uses. The caller names the type of a statement's result. */
export interface Connection {
  query<Result>(sql: string, done: Callback<Result>): unknown;
  /** Inserts escaped parameters into a statement. */
  format(sql: string, parameters: unknown[]): string;
  release(): void;
  destroy(): void;
}

/** The part of mysql2's pool that this library uses. */
export interface Pool {
  query<Result>(sql: string, parameters: unknown[], done: Callback<Result>): unknown;
  getConnection(done: Callback<Connection>): void;
  end(done: (error: unknown) => void): void;
  on(event: 'connection', listener: (connection: { query(sql: string): unknown }) => void): void;
}

/** The pool that TypeORM opened. Statements without entities use it directly, because TypeORM's query costs much more. */
export function poolOf(source: DataSource): Pool {
  const { driver } = source;
  const pool: unknown = 'pool' in driver ? driver.pool : undefined;
  if (!isPool(pool)) throw new Error('The database driver has no pool');
  return pool;
}

export function isPool(pool: unknown): pool is Pool {
  return typeof pool === 'object' && pool !== null && 'getConnection' in pool && 'query' in pool && 'on' in pool;
}

/** The error, or an Error with it as the cause: under jest, errors of the driver come from another realm. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}
