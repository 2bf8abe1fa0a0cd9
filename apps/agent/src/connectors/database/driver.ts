import type { Socket } from 'node:net';
import type { ConnectionTarget } from './connection-url';
import type { PreparedStatement } from './prepare-statement';
import type { RowCollector } from './row-collector';

export interface StatementOutcome {
  /** Rows that the statement inserted, updated or deleted; an UPDATE counts each row that it finds, even if no value changes. */
  affectedRows: number;
  /** The id that MySQL or MariaDB generated for an inserted row, for the first of several; null otherwise. */
  insertId: number | string | null;
}

/** One connection to a database server, which runs one statement at a time. */
export interface DatabaseSession {
  /**
   * Runs one statement and adds its rows to `rows`. When the statement has several results, only the rows of the first
   * result are added.
   */
  run(statement: PreparedStatement, rows: RowCollector): Promise<StatementOutcome>;
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Asks the server to end the statement in progress, whose `run` then rejects; may resolve before that. */
  cancel(): Promise<void>;
  /** Logs out of the server. */
  end(): Promise<void>;
}

export type HostAndPort = Pick<ConnectionTarget, 'host' | 'port'>;

/** Begins a TCP connection to the target, or to the address to which the target sends the connection on. */
export type OpenSocket = (at?: HostAndPort) => Socket;

/** Connects to the servers of one dialect. */
export interface DatabaseDriver {
  openSession(target: ConnectionTarget, openSocket: OpenSocket): Promise<DatabaseSession>;
}
