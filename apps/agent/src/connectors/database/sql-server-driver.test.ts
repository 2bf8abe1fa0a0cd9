import { EventEmitter, once } from 'node:events';
import * as mssql from 'mssql';
import { connect, createServer, Socket } from 'node:net';
import { listenOnFreePort } from '../../../../../test/support/web-server';
import type { ConnectionTarget } from './connection-url';
import type { StatementOutcome } from './driver';
import { RowCollector } from './row-collector';
import { sqlServerCells } from './sql-server-cells';
import { sqlServerDriver, type MssqlPackage } from './sql-server-driver';

/**
 * The calls of the driver to the package mssql, in order; `answer` returns the reply of the fake server to each
 * request.
 */
let calls: unknown[][];
let answer: (request: FakeRequest) => void;

class FakePool extends EventEmitter {
  constructor(config: object) {
    super();
    calls.push(['pool', config]);
  }
  connect() {
    return Promise.resolve(this);
  }
  close() {
    calls.push(['close']);
    return Promise.resolve();
  }
}
class FakeTransaction {
  constructor(readonly parent: unknown) {}
  begin = () => Promise.resolve(void calls.push(['begin']));
  commit = () => Promise.resolve(void calls.push(['commit']));
  rollback = () => Promise.resolve(void calls.push(['rollback']));
}
class FakeRequest extends EventEmitter {
  stream = false;
  arrayRowMode = false;
  constructor(readonly parent: unknown) {
    super();
  }
  input(name: string, type: { type?: unknown }, value: unknown) {
    calls.push(['input', name, type.type ?? type, value]);
  }
  query(sql: string) {
    calls.push(['query', sql, this.parent instanceof FakeTransaction, this.stream && this.arrayRowMode]);
    setImmediate(() => answer(this));
  }
  cancel() {
    calls.push(['cancel']);
    this.emit('error', new Error('Canceled.'));
    this.emit('done', { rowsAffected: [] });
  }
}
const fakeMssql: unknown = { ...mssql, ConnectionPool: FakePool, Transaction: FakeTransaction, Request: FakeRequest };
const isMssql = (value: unknown): value is MssqlPackage => typeof value === 'object';

const target: ConnectionTarget = {
  dialect: 'mssql',
  host: 'db.example',
  port: 1433,
  user: 'ana',
  password: 'hunter2',
  database: 'erp',
  tls: 'off',
};
async function openFakeSession(changes: Partial<ConnectionTarget> = {}) {
  calls = [];
  answer = (request) => request.emit('done', { rowsAffected: [] });
  if (!isMssql(fakeMssql)) throw new Error('no replacement');
  return sqlServerDriver(fakeMssql).openSession({ ...target, ...changes }, () => new Socket());
}
const collector = () => new RowCollector(100, () => undefined);

test.each<[ConnectionTarget['tls'], object]>([
  ['off', { encrypt: false }],
  ['unverified', { encrypt: true, trustServerCertificate: true }],
  ['verify', { encrypt: true, trustServerCertificate: false }],
])('the connection with TLS %s has no time limits of the driver', async (tls, options) => {
  await openFakeSession({ tls });
  expect(calls).toMatchObject([
    [
      'pool',
      {
        server: 'db.example',
        user: 'ana',
        password: 'hunter2',
        database: 'erp',
        pool: { max: 1 },
        requestTimeout: 0,
        connectionTimeout: 600_000,
        options: { ...options, port: 1433, useUTC: true },
      },
    ],
  ]);
});

test('the package mssql begins its login over the given socket and waits for the server', async () => {
  const server = createServer();
  const port = await listenOnFreePort(server);
  const opened = sqlServerDriver(mssql).openSession({ ...target, host: '127.0.0.1', port }, () =>
    connect(port, '127.0.0.1'),
  );
  opened.catch(() => undefined);
  const [socket]: Socket[] = await once(server, 'connection');
  const [first]: Buffer[] = await once(socket ?? new Socket(), 'data');
  const PRELOGIN = 0x12;
  expect(first?.[0]).toBe(PRELOGIN);
  socket?.destroy();
  await expect(opened).rejects.toThrow(/socket hang up|closed|lost/i);
  server.close();
});

test('parameters are bound with types that lose no digits, and rows arrive as a stream', async () => {
  const session = await openFakeSession();
  const parameters = ['é', null, true, 5, 5_000_000_000, 1.5, { decimal: '1234.50' }, Buffer.from('x')];
  await session.run({ sql: 'SELECT @p1', parameters }, collector());
  const { NVarChar, Bit, Int, BigInt: Big, Float, VarBinary } = mssql;
  expect(calls.slice(1)).toEqual([
    ['input', 'p1', NVarChar, 'é'],
    ['input', 'p2', NVarChar, null],
    ['input', 'p3', Bit, true],
    ['input', 'p4', Int, 5],
    ['input', 'p5', Big, '5000000000'],
    ['input', 'p6', Float, 1.5],
    ['input', 'p7', NVarChar, '1234.50'],
    ['input', 'p8', VarBinary, Buffer.from('x')],
    ['query', 'SELECT @p1', false, true],
  ]);
});

test('the rows are those of the first result, and only changes count as affected rows', async () => {
  const session = await openFakeSession();
  answer = (request) => {
    request.emit('recordset', [{ name: 'id', type: mssql.Int }]);
    request.emit('row', [7]);
    request.emit('recordset', [{ name: 'other', type: mssql.Int }]);
    request.emit('row', [8]);
    request.emit('done', { rowsAffected: [1, 1] });
  };
  const outcomes: StatementOutcome[] = [];
  const rows = collector();
  outcomes.push(await session.run({ sql: 'SELECT 1', parameters: [] }, rows));
  expect(rows.takeRows()).toEqual([{ id: 7 }]);
  const all = [
    '/* all */ -- of them\n SELECT 1',
    ';WITH [a ) b] (n) AS (SELECT 1) SELECT n FROM [a ) b]',
    'UPDATE t SET a = 1',
    'WITH a AS (SELECT 1 AS n) INSERT INTO t SELECT n FROM a',
  ];
  for (const sql of all) outcomes.push(await session.run({ sql, parameters: [] }, rows));
  expect(outcomes.map(({ affectedRows }) => affectedRows)).toEqual([0, 0, 0, 2, 2]);
});

/** The request of the package itself on a connection that answers each query with a result of one column and these rows of one value. */
function realRequest(column: string, values: readonly string[]) {
  return class extends mssql.Request {
    constructor() {
      super();
      const connection = Object.assign(new EventEmitter(), {
        cancel: () => undefined,
        execSql(query: EventEmitter & { callback: () => void }) {
          const metadata = { colName: column, type: { id: 0 } };
          query.emit('columnMetadata', [metadata]);
          for (const value of values) query.emit('row', [{ metadata, value }]);
          query.emit('doneInProc', values.length, false);
          query.callback();
        },
      });
      const parent = {
        connected: true,
        config: {},
        acquire: (_request: unknown, use: (...given: unknown[]) => void) => use(null, connection, {}),
        release: () => undefined,
      };
      Reflect.set(this, 'parent', parent);
    }
  };
}

test.each([
  ['FOR JSON', 'JSON_F52E2B61-18A1-11d1-B105-00805F49916B'],
  ['FOR XML', 'XML_F52E2B61-18A1-11d1-B105-00805F49916B'],
])(
  'the text of %s, which the server sends in pieces, is the one value of one row, and no row if it is empty',
  async (_what, column) => {
    const session = await openFakeSession();
    const found = async (...pieces: string[]) => {
      const rows = collector();
      Reflect.set(session, 'sql', { Request: realRequest(column, pieces) });
      await session.run({ sql: 'SELECT', parameters: [] }, rows);
      return rows.takeRows();
    };
    expect(await found('[{"a":', '1}]')).toEqual([{ [column]: '[{"a":1}]' }]);
    expect(await found()).toEqual([]);
  },
);

test('a statement fails with its first error', async () => {
  const session = await openFakeSession();
  answer = (request) => {
    request.emit('error', new Error('Invalid object name'));
    request.emit('error', new Error('Statement could not be prepared'));
    request.emit('done', { rowsAffected: [] });
  };
  await expect(session.run({ sql: 'SELECT x', parameters: [] }, collector())).rejects.toThrow('Invalid object name');
});

test('statements of a transaction run in it, and cancel ends the statement in progress', async () => {
  const session = await openFakeSession();
  await session.begin();
  answer = () => undefined;
  const running = session.run({ sql: 'WAITFOR', parameters: [] }, collector());
  await session.cancel();
  await expect(running).rejects.toThrow('Canceled.');
  await session.rollback();
  await session.begin();
  await session.commit();
  await session.end();
  expect(calls.slice(1)).toEqual([
    ['begin'],
    ['query', 'WAITFOR', true, true],
    ['cancel'],
    ['rollback'],
    ['begin'],
    ['commit'],
    ['close'],
  ]);
});

const dateWithTicks = (ticks: number) =>
  Object.assign(new Date(Date.UTC(2026, 0, 5, 12, 30, 0, 123)), { nanosecondsDelta: ticks / 1e7 });

test.each<[string, unknown, object, unknown]>([
  ['an integer', 5, { type: mssql.Int }, 5],
  ['a safe BIGINT', '5', { type: mssql.BigInt }, 5],
  ['a large BIGINT', '9223372036854775807', { type: mssql.BigInt }, '9223372036854775807'],
  ['a decimal', 1234.5, { type: mssql.Decimal, scale: 2 }, '1234.50'],
  ['money', 0.1, { type: mssql.Money }, '0.1000'],
  ['a float', 1.5, { type: mssql.Float }, 1.5],
  ['a REAL', Math.fround(1.1), { type: mssql.Real }, 1.1],
  ['a bit', true, { type: mssql.Bit }, true],
  ['NULL', null, { type: mssql.Int }, null],
  ['binary', Buffer.from([0, 255]), { type: mssql.VarBinary }, 'AP8='],
  ['a date', dateWithTicks(0), { type: mssql.Date }, '2026-01-05'],
  ['a DATETIME', dateWithTicks(0), { type: mssql.DateTime }, '2026-01-05 12:30:00.123'],
  ['a DATETIME2(7)', dateWithTicks(4567), { type: mssql.DateTime2, scale: 7 }, '2026-01-05 12:30:00.1234567'],
  ['a DATETIME2(0)', dateWithTicks(0), { type: mssql.DateTime2, scale: 0 }, '2026-01-05 12:30:00'],
  ['a TIME', dateWithTicks(0), { type: mssql.Time, scale: 3 }, '12:30:00.123'],
  ['a DATETIMEOFFSET', dateWithTicks(0), { type: mssql.DateTimeOffset, scale: 3 }, '2026-01-05 12:30:00.123+00:00'],
])('the SQL Server value %s becomes its documented form', (_what, value, column, cell) => {
  expect(sqlServerCells([value], [{ name: 'c', ...column }])).toEqual([cell]);
});

test('a decimal with more digits than a number holds fails the statement instead of losing digits', async () => {
  const session = await openFakeSession();
  answer = (request) => {
    request.emit('recordset', [{ name: 'total', type: mssql.Decimal, scale: 4 }]);
    request.emit('row', [1e13]);
  };
  await expect(session.run({ sql: 'SELECT total', parameters: [] }, collector())).rejects.toThrow(
    'the column total has a decimal with more digits than the driver reads exactly: select CAST(total AS varchar(50))',
  );
});
