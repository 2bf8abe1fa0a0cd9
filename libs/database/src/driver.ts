import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

export type ResultCallback<Result> = (error: unknown, result: Result) => void;

/** The part of mysql2's connection that this library uses. The caller names the type of a statement's result. */
export interface DriverConnection {
  readonly stream: Socket;
  query<Result>(sql: string, done: ResultCallback<Result>): unknown;
  query<Result>(sql: string, parameters: unknown[], done: ResultCallback<Result>): unknown;
  /** Inserts escaped parameters into a statement. */
  format(sql: string, parameters: unknown[]): string;
  release(): void;
  /** Removes the connection from the pool and closes it. */
  destroy(): void;
  on(event: 'error' | 'end', listener: () => void): void;
}

/** The part of mysql2's pool that this library uses. */
export interface DriverPool {
  getConnection(done: ResultCallback<DriverConnection>): void;
  end(done: (error: unknown) => void): void;
  /** `connection`: a new connection is open. `release`: a connection is idle again. */
  on(event: 'connection' | 'release', listener: (connection: DriverConnection) => void): void;
}

export function isPool(pool: unknown): pool is DriverPool {
  return typeof pool === 'object' && pool !== null && 'getConnection' in pool && 'on' in pool;
}

/** The error, or an Error with it as the cause: under jest, errors of the driver come from another realm. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}

/**
 * The text `code` of an error or of one that it wraps, such as `ER_DUP_ENTRY` or `ECONNREFUSED`; not only errors of the database have one.
 */
export function databaseErrorCode(error: unknown): string | undefined {
  return driverErrorOf(error)?.code;
}

/** The error itself if it has a text `code`, otherwise the first one that it wraps and that has one. */
function driverErrorOf(error: unknown): { code: string } | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if (hasCode(error)) return error;
  if ('driverError' in error) return driverErrorOf(error.driverError);
  return 'cause' in error ? driverErrorOf(error.cause) : undefined;
}

function hasCode(error: object): error is { code: string } {
  return 'code' in error && typeof error.code === 'string';
}

/** Error codes of a server that refuses a statement and must not be used: it turned read-only, or left its cluster. */
const REFUSING_SERVER_CODES = new Set(['ER_OPTION_PREVENTS_STATEMENT', 'ER_READ_ONLY_MODE', 'ER_UNKNOWN_COM_ERROR']);

/** True for an error of a server that turned read-only (1290, 1836) or left its cluster (1047): it has stored nothing. */
export function isRefusingServer(error: unknown): boolean {
  return REFUSING_SERVER_CODES.has(databaseErrorCode(error) ?? '');
}

/** True for the error of a new connection whose user or password the server refuses, as after a change of the password. */
export function isRefusedPassword(error: unknown): boolean {
  return databaseErrorCode(error) === 'ER_ACCESS_DENIED_ERROR';
}

/** True for the error of a new connection that is not encrypted, as with a certificate that has expired or is of another authority. */
export function isFailedTls(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code === 'HANDSHAKE_NO_SSL_SUPPORT' || (code === 'HANDSHAKE_SSL_ERROR' && !isCutBeforeTls(error));
}

/**
 * True for the error of a new connection that is cut off before it is encrypted, as while the server or a proxy restarts. The driver gives
 * it the code of a failed encryption; an error of the operating system has a `syscall`.
 */
export function isCutBeforeTls(error: unknown): boolean {
  const cause = driverErrorOf(error);
  if (cause?.code !== 'HANDSHAKE_SSL_ERROR') return false;
  return 'syscall' in cause || /disconnected before secure TLS/i.test(asError(cause).message);
}

/**
 * True for an error of a server that must not be used: one of `isRefusingServer`, or of a server that left its cluster during a COMMIT
 * (1180), of which nobody knows whether the other servers have stored it.
 */
export function isUnfitServer(error: unknown): boolean {
  return isRefusingServer(error) || databaseErrorCode(error) === 'ER_ERROR_DURING_COMMIT';
}

/** Calls back with an error and without the result that the type of a callback demands: a callback reads a result only without an error. */
export function failWith<Result>(done: ResultCallback<Result>, error: unknown): void {
  Reflect.apply(done, undefined, [asError(error)]);
}

/** Fails the connection's statements with the error, and sends a reset instead of what is still unsent. */
export function cutOff({ stream }: DriverConnection, error: Error): void {
  if (stream.destroyed) return;
  // The reset comes before the error: on the error the driver ends the socket, an ended socket is not reset, and the operating
  // system would still send its unsent bytes once packets arrive again.
  if (stream instanceof TLSSocket) stream.destroy();
  else stream.resetAndDestroy();
  stream.emit('error', error);
}

/** The error of a connection that the pool itself refuses or ends. */
export function awayError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code, fatal: true });
}
