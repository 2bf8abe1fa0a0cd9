import { FLOW_LIMITS } from '@batuta/flow';
import type * as mssql from 'mssql';
import { once } from 'node:events';
import type { ConnectionTarget } from './connection-url';
import type { DatabaseDriver, DatabaseSession, HostAndPort, OpenSocket, StatementOutcome } from './driver';
import type { SqlParameter, PreparedStatement } from './prepare-statement';
import type { RowCollector } from './row-collector';
import { keepConnectionAtCommit, reportUnreadable } from './sql-server-answers';
import { sqlServerCells, valuesOfRow, type SqlServerColumn } from './sql-server-cells';
import { statementVerb } from './statement-verb';

/** The part of the package mssql that the driver uses; tests replace it. */
export type MssqlPackage = Pick<
  typeof mssql,
  'ConnectionPool' | 'Transaction' | 'Request' | 'NVarChar' | 'VarBinary' | 'Int' | 'BigInt' | 'Float' | 'Bit' | 'MAX'
>;

/**
 * The package opens two connections, the first one only to see whether the server answers. Each may be sent on and, after a temporary error, be
 * repeated three times; for a lost one the next statement opens another.
 */
const MAX_CONNECTIONS = 20;
const MAX_STEP_MS = FLOW_LIMITS.timeoutSeconds * 1000;

/** The driver of SQL Server, on the package mssql. */
export function sqlServerDriver(sql: MssqlPackage): DatabaseDriver {
  return {
    async openSession(target, openSocket) {
      const pool = new sql.ConnectionPool(configOf(target, openSocket));
      pool.on('error', () => undefined);
      await pool.connect();
      return new SqlServerSession(sql, pool);
    },
  };
}

function configOf({ host, port, user, password, database, tls }: ConnectionTarget, openSocket: OpenSocket) {
  let connections = 0;
  // A server may send a connection on to another address, as that of Azure does; two that send it to each other would do so without end.
  const connector = async (at?: HostAndPort) => {
    connections += 1;
    if (connections > MAX_CONNECTIONS)
      throw new Error('the connection ended, or was sent on to another address, too often');
    const socket = openSocket(at);
    await once(socket, 'connect');
    return socket;
  };
  return {
    server: host,
    user,
    password,
    ...(database !== '' && { database }),
    pool: { min: 0, max: 1 },
    // The step has its own time limit, so those of the package are switched off: for requests 0 means none, but for
    // connecting it means 0 ms.
    requestTimeout: 0,
    connectionTimeout: MAX_STEP_MS,
    // The connection is the step's own. A validation that fails would open new ones without end, and no stop could cancel it.
    validateConnection: false,
    beforeConnect: reportUnreadable,
    options: { encrypt: tls !== 'off', trustServerCertificate: tls !== 'verify', useUTC: true, port, connector },
  };
}

class SqlServerSession implements DatabaseSession {
  private transaction: mssql.Transaction | undefined;
  private request: mssql.Request | undefined;

  constructor(
    private readonly sql: MssqlPackage,
    private readonly pool: mssql.ConnectionPool,
  ) {}

  run({ sql, parameters }: PreparedStatement, rows: RowCollector): Promise<StatementOutcome> {
    const request = this.transaction ? new this.sql.Request(this.transaction) : new this.sql.Request(this.pool);
    this.request = request;
    request.stream = true;
    request.arrayRowMode = true;
    for (const [index, parameter] of parameters.entries()) this.bind(request, `p${index + 1}`, parameter);
    return new Promise((resolve, reject) => {
      let columns: SqlServerColumn[] = [];
      let results = 0;
      let failure: Error | undefined;
      request.on('recordset', (given: unknown) => {
        results += 1;
        columns = Array.isArray(given) ? given : [];
        if (results === 1) rows.beginResult(columns.map(({ name }) => name));
      });
      request.on('row', (row: unknown) => {
        const values = valuesOfRow(row);
        if (!values || results !== 1 || failure) return;
        try {
          rows.addRow(sqlServerCells(values, columns));
        } catch (unreadable) {
          failure = errorOf(unreadable);
          request.cancel();
        }
      });
      request.on('error', (error: unknown) => (failure ??= errorOf(error)));
      request.on('done', ({ rowsAffected }: { rowsAffected: number[] }) => {
        if (failure) return reject(failure);
        // The server reports a row count for a SELECT as well, which is no count of changed rows.
        const changes = !/^(select|exec|execute)$/.test(statementVerb(sql, 'mssql'));
        const affectedRows = changes ? rowsAffected.reduce((sum, count) => sum + count, 0) : 0;
        resolve({ affectedRows, insertId: null });
      });
      Promise.resolve(request.query(sql)).catch((unsent: unknown) => reject(errorOf(unsent)));
    });
  }

  async begin(): Promise<void> {
    this.transaction = new this.sql.Transaction(this.pool);
    await this.transaction.begin();
  }

  async commit(): Promise<void> {
    if (this.transaction) keepConnectionAtCommit(this.transaction);
    await this.transaction?.commit();
  }

  async rollback(): Promise<void> {
    await this.transaction?.rollback();
  }

  cancel(): Promise<void> {
    this.request?.cancel();
    return Promise.resolve();
  }

  end(): Promise<void> {
    return this.pool.close();
  }

  private bind(request: mssql.Request, name: string, parameter: SqlParameter): void {
    const { sql } = this;
    if (typeof parameter === 'boolean') return void request.input(name, sql.Bit, parameter);
    if (parameter instanceof Uint8Array) {
      return void request.input(name, sql.VarBinary(sql.MAX), Buffer.from(parameter));
    }
    if (typeof parameter !== 'number') {
      const text = parameter === null || typeof parameter === 'string' ? parameter : parameter.decimal;
      return void request.input(name, sql.NVarChar(sql.MAX), text);
    }
    if (!Number.isSafeInteger(parameter)) return void request.input(name, sql.Float, parameter);
    // A 32-bit integer fits every integer column; a larger one is passed as text, as the package requires.
    if ((parameter | 0) === parameter) return void request.input(name, sql.Int, parameter);
    request.input(name, sql.BigInt, String(parameter));
  }
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error('the driver gave no reason');
}
