import type { Client, QueryArrayConfig } from 'pg';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { StepError } from '../../flow/step-error';
import type { ConnectionTarget } from './connection-url';
import type { DatabaseDriver, DatabaseSession, StatementOutcome } from './driver';
import type { Parameter, PreparedStatement } from './prepare-statement';
import { wholeNumber, type Cell, type RowCollector } from './row-collector';

type Postgres = typeof import('pg');

/** One form for dates, intervals and binary values, whatever the server's settings are. */
const SESSION = "SET datestyle = 'ISO'; SET TIME ZONE 'UTC'; SET bytea_output = 'hex'; SET extra_float_digits = 1";

/** Values other than numbers, booleans and binary ones arrive as the server's text. */
export function postgresDriver(pg: Postgres): DatabaseDriver {
  return { open: (target, openSocket) => open(pg, target, openSocket) };
}

async function open(pg: Postgres, target: ConnectionTarget, openSocket: () => Socket): Promise<DatabaseSession> {
  const { host, port, user, password, tls } = target;
  if (user === '') throw new StepError('the connection needs a user, as in postgres://user:password@host/database');
  const client = new pg.Client({
    host,
    port,
    user,
    database: target.database || user,
    // As a function: for an empty text the driver would take a password from this machine's environment.
    password: () => password,
    ssl: tls === 'off' ? false : { rejectUnauthorized: tls === 'verify' },
    stream: () => connecting(openSocket()),
    types: { getTypeParser: (oid: number) => (text: string) => cellOf(oid, text) },
  });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(SESSION);
  return new PostgresSession(pg, client, openSocket);
}

/** Takes `connect` from a socket that is connecting already, because the driver would call it again. */
function connecting(socket: Socket): Socket {
  return Object.assign(socket, { connect: () => socket });
}

class PostgresSession implements DatabaseSession {
  constructor(
    private readonly pg: Postgres,
    private readonly client: Client,
    private readonly openSocket: () => Socket,
  ) {}

  run({ sql, parameters }: PreparedStatement, rows: RowCollector): Promise<StatementOutcome> {
    return new Promise((resolve, reject) => {
      const config: QueryArrayConfig & { queryMode: 'extended' } = {
        text: sql,
        values: parameters.map(bound),
        rowMode: 'array',
        // Refuses several statements in one text.
        queryMode: 'extended',
      };
      const query = new this.pg.Query<Cell[]>(config);
      let isFirst = true;
      query.on('row', (cells, result) => {
        if (isFirst && result) rows.columns(result.fields.map(({ name }) => name));
        isFirst = false;
        rows.row(cells);
      });
      query.on('error', reject);
      query.on('end', ({ command, rowCount }) => {
        const changes = /^(INSERT|UPDATE|DELETE|MERGE)$/.test(command);
        resolve({ affectedRows: changes ? (rowCount ?? 0) : 0, insertId: null });
      });
      this.client.query(query);
    });
  }

  begin(): Promise<void> {
    return this.command('BEGIN');
  }

  commit(): Promise<void> {
    return this.command('COMMIT');
  }

  rollback(): Promise<void> {
    return this.command('ROLLBACK');
  }

  /** By a second connection that needs no login: the server knows the first by its key. */
  async cancel(): Promise<void> {
    const request = Buffer.alloc(16);
    const fields = [16, CANCEL_REQUEST, Reflect.get(this.client, 'processID'), Reflect.get(this.client, 'secretKey')];
    for (const [index, field] of fields.entries()) request.writeInt32BE(Number(field), 4 * index);
    const socket = this.openSocket();
    const closed = once(socket, 'close');
    socket.resume().end(request);
    await closed;
  }

  end(): Promise<void> {
    return this.client.end();
  }

  private async command(sql: string): Promise<void> {
    await this.client.query(sql);
  }
}

/** As text, whose type the server takes from the place of the parameter. */
function bound(parameter: Parameter): string | null | Buffer {
  if (parameter === null) return null;
  if (parameter instanceof Uint8Array) return Buffer.from(parameter);
  return typeof parameter === 'object' ? parameter.decimal : String(parameter);
}

/** Code of the message by which a client ends a statement of another connection. */
const CANCEL_REQUEST = 80_877_102;

const BOOL = 16;
const BYTEA = 17;
const WHOLE_NUMBERS = new Set([20, 21, 23, 26]);
const FLOATS = new Set([700, 701]);

function cellOf(oid: number, text: string): Cell {
  if (oid === BOOL) return text === 't';
  if (WHOLE_NUMBERS.has(oid)) return wholeNumber(text);
  if (FLOATS.has(oid)) return Number.isFinite(Number(text)) ? Number(text) : text;
  return oid === BYTEA ? Buffer.from(text.slice(2), 'hex').toString('base64') : text;
}
