import type { Connection, QueryOptions } from 'mysql2';
import { isIP, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { StepError } from '../../step-error';
import type { ConnectionTarget } from './connection-url';
import type { DatabaseDriver, DatabaseSession, StatementOutcome } from './driver';
import type { SqlParameter, PreparedStatement } from './prepare-statement';
import { numberIfExact, shortestFloat, type Cell, type RowCollector } from './row-collector';

type MysqlPackage = typeof import('mysql2');

const POLL_INTERVAL_MS = 10;
/** Connections that `cancel` tries to reach its server behind a load balancer. */
const MAX_CANCEL_CONNECTIONS = 5;
/** The numbers of types in the protocol of MySQL. */
const FLOAT_TYPE = 4;
const BIT_TYPE = 16;
/** TIMESTAMP, TIME and DATETIME. */
const TIME_TYPES = new Set<unknown>([7, 11, 12]);
/** More `decimals` of a column mean that the number of its digits varies. */
const MAX_FRACTION_DIGITS = 6;

/** A column as the driver describes it. */
interface MysqlColumn {
  name: string;
  columnType?: number;
  /** The digits of the fraction. */
  decimals?: number;
}

/** The driver of MySQL and MariaDB. Dates and decimals arrive as the server's text, TIMESTAMP in UTC. */
export function mysqlDriver(mysql: MysqlPackage): DatabaseDriver {
  return {
    async openSession(target, openSocket) {
      const openConnection = () => connect(mysql, target, openSocket);
      const connection = await openConnection();
      await command(connection, "SET time_zone = '+00:00'");
      // A server without these variables runs statements all the same.
      const server = await serverOf(connection).catch(() => undefined);
      return new MysqlSession(mysql, connection, server, openConnection);
    },
  };
}

class MysqlSession implements DatabaseSession {
  constructor(
    private readonly mysql: MysqlPackage,
    private readonly connection: Connection,
    /** The server of the connection; undefined if it does not tell its name. */
    private readonly server: string | undefined,
    /** Opens another connection to the target, by which `cancel` kills this one. Behind a load balancer it may reach another server. */
    private readonly connectAgain: () => Promise<Connection>,
  ) {}

  run({ sql, parameters }: PreparedStatement, rows: RowCollector): Promise<StatementOutcome> {
    return new Promise((resolve, reject) => {
      const outcome: StatementOutcome = { affectedRows: 0, insertId: null };
      const options: QueryOptions = { sql, rowsAsArray: true };
      // Without this listener the error of a lost connection would end the process. It is registered before the query: a connection that
      // is already lost, for instance while the execution was suspended, emits it at once and for the query nothing else.
      this.connection.once('error', reject);
      // Runs a statement without parameters as text, because some statements cannot be prepared.
      const query =
        parameters.length === 0
          ? this.connection.query(options)
          : this.connection.execute({
              ...options,
              values: parameters.map((parameter) => this.toBoundValue(parameter)),
            });
      let results = 0;
      let columns: MysqlColumn[] = [];
      query.on('fields', (fields: unknown) => {
        if (!Array.isArray(fields)) return;
        results += 1;
        columns = fields;
        if (results === 1) rows.beginResult(columns.map(({ name }) => name));
      });
      query.on('result', (result: unknown) => {
        if (Array.isArray(result)) {
          if (results === 1) rows.addRow(result.map((value, index) => cellOf(value, columns[index])));
          return;
        }
        const header: { affectedRows?: unknown; insertId?: unknown } = Object(result);
        outcome.affectedRows += Number(header.affectedRows ?? 0);
        const { insertId } = header;
        if (typeof insertId === 'string' || (typeof insertId === 'number' && insertId !== 0))
          outcome.insertId = insertId;
      });
      query.on('error', reject);
      query.on('end', () => {
        this.connection.off('error', reject);
        resolve(outcome);
      });
    });
  }

  begin(): Promise<void> {
    return this.runCommand('START TRANSACTION');
  }

  commit(): Promise<void> {
    return this.runCommand('COMMIT');
  }

  rollback(): Promise<void> {
    return this.runCommand('ROLLBACK');
  }

  /**
   * Ends the statement by killing its connection. A second connection does this, because the first is busy; every
   * account may kill its own connections. A killed connection stays in the server's list until its transaction is
   * rolled back and its locks are released.
   */
  async cancel(): Promise<void> {
    if (this.server === undefined) throw new Error('the server does not tell its name');
    for (let attempt = 1; attempt <= MAX_CANCEL_CONNECTIONS; attempt += 1) {
      const other = await this.connectAgain();
      try {
        // At another server the id belongs to another session, perhaps of the same account.
        if ((await serverOf(other)) === this.server) return await this.killBy(other);
      } finally {
        // Without a logout the server would count a lost connection.
        other.end();
      }
    }
    throw new Error('another server answered');
  }

  end(): Promise<void> {
    return new Promise((resolve) => {
      this.connection.end(() => resolve());
    });
  }

  private runCommand(sql: string): Promise<void> {
    return command(this.connection, sql);
  }

  private async killBy(other: Connection): Promise<void> {
    const { threadId } = this.connection;
    await command(other, `KILL ${threadId}`);
    const isListed = `SELECT id FROM information_schema.processlist WHERE id = ${threadId}`;
    while ((await firstValue(other, isListed)) !== undefined) await sleep(POLL_INTERVAL_MS);
  }

  /** Whole numbers are bound as BIGINT, because the server refuses a double in LIMIT; decimals are bound exactly. */
  private toBoundValue(parameter: SqlParameter) {
    const { TypedParameter } = this.mysql;
    if (parameter === null || typeof parameter === 'boolean' || typeof parameter === 'string') return parameter;
    if (typeof parameter === 'number') {
      return Number.isSafeInteger(parameter) ? TypedParameter.BIGINT(parameter) : parameter;
    }
    return parameter instanceof Uint8Array ? Buffer.from(parameter) : TypedParameter.NEWDECIMAL(parameter.decimal);
  }
}

async function connect(mysql: MysqlPackage, target: ConnectionTarget, openSocket: () => Socket): Promise<Connection> {
  const { host, port, user, password, database, tls } = target;
  // An IP address is refused, because the driver compares the certificate with a host name only.
  if (tls === 'verify' && isIP(host) !== 0) {
    throw new StepError('tls=verify needs the name of the database server, not its address');
  }
  const connection = mysql.createConnection({
    host,
    port,
    user,
    password,
    ...(database !== '' && { database }),
    stream: () => openSocket(),
    ...(tls !== 'off' && { ssl: { rejectUnauthorized: tls === 'verify', verifyIdentity: tls === 'verify' } }),
    // Switches the time limit of the driver off, because the step has its own.
    connectTimeout: 0,
    dateStrings: true,
    supportBigNumbers: true,
    jsonStrings: true,
    // A server must not ask for files of this machine.
    flags: ['-LOCAL_FILES'],
  });
  return new Promise((resolve, reject) => {
    // This listener stays registered, because an error event without one would end the process.
    connection.on('error', reject);
    connection.once('connect', () => resolve(connection));
  });
}

function command(connection: Connection, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error) => (error ? reject(error) : resolve()));
  });
}

/** Names the server of the connection. */
function serverOf(connection: Connection): Promise<string | undefined> {
  return firstValue(connection, "SELECT CONCAT_WS(' ', @@hostname, @@port, @@server_id)");
}

/** The first column of the first row as text; undefined without a row. */
function firstValue(connection: Connection, sql: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    connection.query({ sql, rowsAsArray: true }, (error, rows: unknown) => {
      if (error) return reject(error);
      const [row]: unknown[] = Array.isArray(rows) ? rows : [];
      resolve(Array.isArray(row) ? String(row[0]) : undefined);
    });
  });
}

function cellOf(value: unknown, { columnType, decimals = 0 }: Partial<MysqlColumn> = {}): Cell {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return columnType === BIT_TYPE ? bitNumber(value) : base64(value);
  if (typeof value === 'number' && columnType === FLOAT_TYPE) return shortestFloat(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string') return TIME_TYPES.has(columnType) ? withFraction(value, decimals) : value;
  return typeof value === 'object' ? value : null;
}

/** The text of a time with all digits of its fraction, from which the driver drops zeros in the answer to a statement with parameters. */
function withFraction(text: string, digits: number): string {
  const [whole = '', fraction = ''] = text.split('.');
  return digits >= 1 && digits <= MAX_FRACTION_DIGITS ? `${whole}.${fraction.padEnd(digits, '0')}` : text;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** The whole number of a BIT, which many programs use as a boolean. */
function bitNumber(bytes: Uint8Array): Cell {
  return numberIfExact(BigInt(`0x${Buffer.from(bytes).toString('hex')}`).toString());
}
