import type { Client, QueryArrayConfig } from 'pg';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { StepError } from '../../step-error';
import type { ConnectionTarget } from './connection-url';
import type { DatabaseDriver, DatabaseSession, StatementOutcome } from './driver';
import type { SqlParameter, PreparedStatement } from './prepare-statement';
import { numberIfExact, type Cell, type RowCollector } from './row-collector';

type PgPackage = typeof import('pg');

/** Makes the server send dates, intervals and binary values in one form, whatever its own settings are. */
const SESSION_SETTINGS_SQL =
  "SET datestyle = 'ISO'; SET intervalstyle = 'postgres'; SET TIME ZONE 'UTC'; SET bytea_output = 'hex'; SET extra_float_digits = 1";

/**
 * The driver of PostgreSQL. Whole numbers that a number of JavaScript holds exactly, finite floats, booleans and binary values (as base64) are
 * converted; other values, such as decimals and dates, arrive as the server's text.
 */
export function postgresDriver(pg: PgPackage): DatabaseDriver {
  return { openSession: (target, openSocket) => open(pg, target, openSocket) };
}

async function open(pg: PgPackage, target: ConnectionTarget, openSocket: () => Socket): Promise<DatabaseSession> {
  const { host, port, user, password, tls } = target;
  if (user === '') throw new StepError('the connection needs a user, as in postgres://user:password@host/database');
  const client = new pg.Client({
    host,
    port,
    user,
    database: target.database || user,
    // The password is passed as a function: instead of an empty text the driver would take PGPASSWORD of this machine.
    password: () => password,
    ssl: tls === 'off' ? false : { rejectUnauthorized: tls === 'verify' },
    stream: () => withoutConnect(openSocket()),
    types: { getTypeParser: (oid: number) => (text: string) => cellOf(oid, text) },
  });
  client.on('error', () => undefined);
  reportUnreadable(client);
  await client.connect();
  await client.query(SESSION_SETTINGS_SQL);
  return new PostgresSession(pg, client, openSocket);
}

/**
 * Makes an error of the connection of what the driver throws while it reads a message, for instance one that asks for a login by GSSAPI or
 * SSPI, which the driver does not know. It throws in a listener of the socket, and that would end the process.
 */
function reportUnreadable({ connection }: Client): void {
  const attach: unknown = Reflect.get(connection, 'attachListeners');
  if (typeof attach !== 'function') throw new Error('the driver has no attachListeners');
  const guarded = (stream: Duplex) => ({
    on: (event: string, listener: (...given: unknown[]) => void) =>
      stream.on(event, (...given: unknown[]) => {
        try {
          listener(...given);
        } catch (error) {
          stream.destroy();
          connection.emit('error', error);
        }
      }),
  });
  Reflect.set(connection, 'attachListeners', (stream: Duplex) => Reflect.apply(attach, connection, [guarded(stream)]));
}

/** Replaces `connect` of a socket that is already connecting by a no-op, because the driver would call it again. */
function withoutConnect(socket: Socket): Socket {
  return Object.assign(socket, { connect: () => socket });
}

class PostgresSession implements DatabaseSession {
  constructor(
    private readonly pg: PgPackage,
    private readonly client: Client,
    private readonly openSocket: () => Socket,
  ) {}

  run({ sql, parameters }: PreparedStatement, rows: RowCollector): Promise<StatementOutcome> {
    return new Promise((resolve, reject) => {
      const config: QueryArrayConfig & { queryMode: 'extended' } = {
        text: sql,
        values: parameters.map(toBoundValue),
        rowMode: 'array',
        // In the extended query mode the server refuses several statements in one text.
        queryMode: 'extended',
      };
      const query = new this.pg.Query<Cell[]>(config);
      let isFirst = true;
      query.on('row', (cells, result) => {
        if (isFirst && result) rows.beginResult(result.fields.map(({ name }) => name));
        isFirst = false;
        rows.addRow(cells);
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

  /**
   * Cancels the statement by a second connection, which needs no login: it sends the process id and the key of the
   * first connection.
   */
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

/** A parameter as text; the server derives its type from where it stands in the statement. */
function toBoundValue(parameter: SqlParameter): string | null | Buffer {
  if (parameter === null) return null;
  if (parameter instanceof Uint8Array) return Buffer.from(parameter);
  return typeof parameter === 'object' ? parameter.decimal : String(parameter);
}

/** Code of the message by which a client ends a statement of another connection. */
const CANCEL_REQUEST = 80_877_102;

const BOOL_TYPE_ID = 16;
const BYTEA_TYPE_ID = 17;
const WHOLE_NUMBER_TYPE_IDS = new Set([20, 21, 23, 26]);
const FLOAT_TYPE_IDS = new Set([700, 701]);

function cellOf(oid: number, text: string): Cell {
  if (oid === BOOL_TYPE_ID) return text === 't';
  if (WHOLE_NUMBER_TYPE_IDS.has(oid)) return numberIfExact(text);
  if (FLOAT_TYPE_IDS.has(oid)) return Number.isFinite(Number(text)) ? Number(text) : text;
  return oid === BYTEA_TYPE_ID ? Buffer.from(text.slice(2), 'hex').toString('base64') : text;
}
