import type { Step, StepOf } from '@batuta/flow';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import {
  createTestDatabase,
  startTestMariadb,
  type TestDatabase,
  type TestServer,
} from '../../../../../test/support/servers';
import { waitUntil } from '../../../../../test/support/wait-until';
import { createFlowWorld } from '../../../test/flow-world';
import { testCertificate } from '../../../test/test-certificate';

/** Returns the code of a formula in place of its value, so that a test sees the code after substitution. */
const echoingCodeRunner = {
  evaluateExpression: (text: string) => Promise.resolve(text),
  runFunctionBody: (text: string) => Promise.resolve(text),
};

let database: TestDatabase;
let own: Connection;

beforeAll(async () => {
  database = await createTestDatabase();
  own = await createConnection({ uri: database.url, dateStrings: true });
  await own.query(`CREATE TABLE orders (
    id BIGINT AUTO_INCREMENT PRIMARY KEY, customer VARCHAR(200) UNIQUE, total DECIMAL(12,2), paid BOOLEAN, at DATETIME(6),
    payload JSON, picture BLOB, big BIGINT UNSIGNED) ENGINE=InnoDB`);
});
beforeEach(() => own.query('TRUNCATE TABLE orders'));
afterAll(async () => {
  await own.end();
  await database.drop();
});

const MATRIX_VALUES = [
  { name: 'total', type: 'Moeda', value: 1234.5 },
  { name: 'customer', type: 'Texto', value: `O'Brien"; DROP TABLE orders; --` },
  { name: 'ids', type: 'Lista', value: [1, 2] },
  { name: 'limit', type: 'Número', value: 2 },
  { name: 'none', type: 'Número', value: null },
];

type StepFields = Partial<StepOf<'database'>>;
const queryStep = (fields: StepFields): Step => ({
  name: 'query',
  type: 'database',
  connection: '{vault.DB}',
  as: 'found',
  ...fields,
});
const showStep = (...values: string[]): Step => ({
  name: 'show',
  type: 'variables',
  rows: values.map((value, n) => ({ name: `v${n}`, mode: 'Variável ou texto', value })),
});
async function runQuery(fields: StepFields, ...shown: string[]) {
  const world = createFlowWorld(echoingCodeRunner);
  const vault = { DB: database.url };
  const end = await world.run([queryStep({ ...fields, routes: [{ to: 'show' }] }), showStep(...shown)], {
    matrix: MATRIX_VALUES,
    vault,
  });
  return { end, world, text: `${world.messages()}\n${end.errorMessage ?? ''}` };
}
const storedOrders = async (sql = 'SELECT customer, total FROM orders ORDER BY id') => {
  const [rows] = await own.query<RowDataPacket[]>(sql);
  return rows.map((row) => ({ ...row }));
};

test('references become parameters, so that no value can become SQL, and Moeda is exact', async () => {
  const sql = 'INSERT INTO orders (customer, total, big) VALUES ({matrix.customer}, {matrix.total}, {matrix.none})';
  const { text } = await runQuery({ sql }, '{connector.affectedRows}/{connector.rowCount}/{connector.insertId}');
  expect(text).toContain('v0 = "1/0/1"');
  expect(await storedOrders('SELECT customer, total, big FROM orders')).toEqual([
    { customer: MATRIX_VALUES[1]?.value, total: '1234.50', big: null },
  ]);
});

test('params are bound in the order of their placeholders, between references', async () => {
  const sql = `SELECT ? AS a, {matrix.limit} AS b, ? AS c, '?' AS d -- ?\n FROM (SELECT 1 UNION SELECT 2 UNION SELECT 3) t LIMIT {matrix.limit}`;
  const { text } = await runQuery(
    { sql, params: ['{matrix.ids}', 'R$ {matrix.total}'] },
    '{found}',
    '{connector.rowCount}',
  );
  const row = '{"a":"[1,2]","b":2,"c":"R$ 1234.50","d":"?"}';
  expect(text).toContain(`v0 = [${row},${row}], v1 = 2`);
});

test('values of columns keep every digit: dates, decimals, large integers, binary and JSON', async () => {
  await own.query(`INSERT INTO orders VALUES
    (7, 'Ana', 12345678.90, true, '2026-01-05 12:30:00.123456', '{"n": 10000000000000000000001}', X'00FF10', 18446744073709551615)`);
  const row = {
    id: 7,
    customer: 'Ana',
    total: '12345678.90',
    paid: 1,
    at: '2026-01-05 12:30:00.123456',
    payload: '{"n": 10000000000000000000001}',
    picture: 'AP8Q',
    big: '18446744073709551615',
  };
  for (const sql of ['SELECT * FROM orders', 'SELECT * FROM orders WHERE id = {matrix.limit} + 5']) {
    const { text } = await runQuery({ sql }, '{found}', '{found.0.big}');
    expect(text.replace('…', '')).toContain(JSON.stringify([row]).slice(0, 150));
    expect(text).toContain('v1 = "18446744073709551615"');
  }
});

test('a FLOAT of up to six digits is the number that the server shows, also in a statement with parameters', async () => {
  const { text } = await runQuery({ sql: 'SELECT CAST(1.1 AS FLOAT) AS f, {matrix.limit} AS n' }, '{found.0.f}');
  expect(text).toMatch(/v0 = 1\.1$/m);
});

test('a row contains all columns, also those with equal names and without a name', async () => {
  const { text } = await runQuery({ sql: "SELECT 1 AS id, 2 AS id, 3 AS `id_2`, '' AS ``" }, '{found}');
  expect(text).toMatch(/"id":1,"id_2":2,"id_2_2":3/);
});

test('a value that a column does not take fails the step with the reason of the server', async () => {
  const { end } = await runQuery({ sql: 'INSERT INTO orders (customer, nothing) VALUES (1, 2)' });
  expect(end).toMatchObject({ outcome: 'ERROR', errorStep: 'query' });
  expect(end.errorMessage).toBe(`Step "query": the database: Unknown column 'nothing' in 'INSERT INTO'`);
});

test('several statements in one text are refused', async () => {
  const { end } = await runQuery({ sql: 'SELECT 1; DELETE FROM orders' });
  expect(end.errorMessage).toContain('You have an error in your SQL syntax');
});

test('a reference within quotes fails the step', async () => {
  const { end } = await runQuery({ sql: "SELECT '{matrix.customer}'" });
  expect(end.errorMessage).toContain('{matrix.customer} stands within quotes, where no parameter can stand');
});

describe('transactions', () => {
  const insert = (customer: string) => ({ sql: `INSERT INTO orders (customer) VALUES (?)`, params: [customer] });

  test('each of several statements can read the results of the earlier ones, and the step returns a list of rows for each', async () => {
    const { text } = await runQuery(
      {
        transaction: true,
        statements: [
          insert('Ana'),
          { sql: 'SELECT customer, {connector.insertId} AS same FROM orders' },
          insert('Bia'),
        ],
      },
      '{found}',
      '{connector.affectedRows}/{connector.rowCount}/{connector.insertId}',
    );
    expect(text).toContain('v0 = [[],[{"customer":"Ana","same":1}],[]], v1 = "2/1/2"');
    expect(await storedOrders()).toHaveLength(2);
  });

  test('the id of the last INSERT stays readable after a statement that makes no id', async () => {
    const update = { sql: 'UPDATE orders SET paid = true' };
    const next = { sql: "INSERT INTO orders (customer, big) VALUES ('Bia', {connector.insertId})" };
    await runQuery({ statements: [insert('Ana'), update, next] });
    expect(await storedOrders('SELECT id, big FROM orders ORDER BY id')).toEqual([
      { id: 1, big: null },
      { id: 2, big: 1 },
    ]);
  });

  test.each([
    [true, []],
    [false, ['Ana']],
  ])('a transaction in which one of several statements fails (%s) leaves %j', async (transaction, customers) => {
    const { end } = await runQuery({ transaction, statements: [insert('Ana'), insert('Ana')] });
    expect(end.errorMessage).toBe(`Step "query": statement 2: Duplicate entry 'Ana' for key 'customer'`);
    expect((await storedOrders()).map(({ customer }) => customer)).toEqual(customers);
  });
});

describe('limits', () => {
  const MANY = 'SELECT a.seq FROM seq_1_to_1000000 a, seq_1_to_1000 b';
  const countRunningStatements = async () => {
    const sql = `SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID() AND command <> 'Sleep'`;
    return (await storedOrders(sql)).length;
  };

  test('a result with more rows than maxRows fails the step, and the server stops sending', async () => {
    const { end } = await runQuery({ sql: MANY, maxRows: 5 });
    expect(end.errorMessage).toBe('Step "query": the result has more than 5 rows (maxRows): read fewer, or raise it');
    await waitUntil('the server has ended the statement', async () => (await countRunningStatements()) === 0);
  });

  test('a value that is larger than a step may receive fails the step', async () => {
    const sql = "SELECT REPEAT('x', 15000000) AS a UNION ALL SELECT REPEAT('y', 15000000)";
    const { end } = await runQuery({ sql });
    expect(end.errorMessage).toContain('the database answered with more than 5242880 bytes');
    await waitUntil('the server has ended the statement', async () => (await countRunningStatements()) === 0);
  });

  test('a statement that is too slow is ended on the server, and onError is taken', async () => {
    const world = createFlowWorld(echoingCodeRunner);
    const step = queryStep({ sql: 'SELECT SLEEP(1000)', timeoutSeconds: 10, onError: [{ to: 'show' }] });
    await world.run([step, showStep('{errorDescription}')], { vault: { DB: database.url } });
    expect(world.messages()).toContain('v0 = "the database did not finish within 10 s"');
    await waitUntil('the server has ended the statement', async () => (await countRunningStatements()) === 0);
  });

  test('a stop of the instance ends the statement on the server, and its transaction', async () => {
    const world = createFlowWorld(echoingCodeRunner);
    const statements = [{ sql: "INSERT INTO orders (customer) VALUES ('Ana')" }, { sql: 'DO SLEEP(1000)' }];
    const ended = world.run([queryStep({ transaction: true, statements })], { vault: { DB: database.url } });
    const sleepingStatements =
      "SELECT id FROM information_schema.processlist WHERE state = 'User sleep' AND db = DATABASE()";
    await waitUntil('the statement runs', async () => (await storedOrders(sleepingStatements)).length === 1);
    world.control.setDesired('stop');
    expect(await ended).toMatchObject({ outcome: 'STOPPED' });
    await waitUntil('the server has ended the statement', async () => (await countRunningStatements()) === 0);
    expect(await storedOrders()).toEqual([]);
  });
});

describe('TLS', () => {
  const SSL = "SHOW STATUS LIKE 'Ssl_version'";
  const certificate = testCertificate();
  const trusted = getCACertificates('default');
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestMariadb({ certificate });
  });
  afterAll(() => server.stop());
  afterEach(() => setDefaultCACertificates(trusted));

  test.each<[string, RegExp]>([
    ['', /v0 = ""/],
    ['?tls=unverified', /v0 = "TLSv1\.\d"/],
    ['?tls=verify', /tls=verify needs the name of the database server, not its address/],
  ])('a connection with "%s" gives %s', async (parameters, version) => {
    const { text } = await runQuery({ connection: `${server.url}${parameters}`, sql: SSL }, '{found.0.Value}');
    expect(text).toMatch(version);
  });

  test('with tls=verify the server needs a certificate of an authority that the agent trusts', async () => {
    const connection = `${server.url.replace('127.0.0.1', 'localhost')}?tls=verify`;
    const untrusted = await runQuery({ connection, sql: SSL });
    expect(untrusted.end.errorMessage).toMatch(
      /cannot connect to the database at .*: the certificate is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\); --ca-file of the agent adds/,
    );
    setDefaultCACertificates([...trusted, certificate.cert]);
    const { text } = await runQuery({ connection, sql: SSL }, '{found.0.Value}');
    expect(text).toMatch(/v0 = "TLSv1/);
  });
});

test('a server that dies during a step fails the step with a message without the password of the connection', async () => {
  const server = await startTestMariadb();
  const world = createFlowWorld(echoingCodeRunner);
  const connection = createConnection({ uri: server.url });
  const step = queryStep({ sql: 'DO SLEEP(1000)', connection: server.url });
  const ended = world.run([step], {});
  const admin = await connection;
  await waitUntil('the statement runs', async () => {
    const [rows] = await admin.query<RowDataPacket[]>(
      "SELECT 1 FROM information_schema.processlist WHERE state = 'User sleep'",
    );
    return rows.length === 1;
  });
  admin.on('error', () => undefined);
  await server.kill();
  const end = await ended;
  expect(end.errorMessage).toMatch(/^Step "query": the database: (Connection lost|read ECONNRESET)/);
  expect(`${world.messages()}${end.errorMessage}`).not.toContain(new URL(server.url).password);
  admin.destroy();

  const refused = await createFlowWorld(echoingCodeRunner).run([step], {});
  expect(refused.errorMessage).toBe(
    `Step "query": cannot connect to the database at 127.0.0.1:${server.port}: connect ECONNREFUSED 127.0.0.1:${server.port}`,
  );
  await server.stop();
});

test.each<[string, (url: URL) => void]>([
  ['a wrong password', (url) => (url.password = 'a-wrong-password')],
  ['an unknown database', (url) => (url.pathname = '/a-wrong-database')],
])('a connection with %s fails the step, and the log shows no password', async (_what, change) => {
  const url = new URL(database.url);
  change(url);
  const world = createFlowWorld(echoingCodeRunner);
  const end = await world.run([queryStep({ sql: 'SELECT 1', connection: url.href })], {});
  expect(end.errorMessage).toMatch(/cannot connect to the database at 127.0.0.1:\d+: (Access denied|Unknown database)/);
  expect(`${world.messages()}${end.errorMessage}`).not.toContain(url.password);
});

test('a secret stays hidden in the result and in the error of a statement', async () => {
  const world = createFlowWorld(echoingCodeRunner);
  const secret = 'hunter2-secret';
  const vault = { DB: database.url, TOKEN: secret };
  const insert = queryStep({ sql: 'INSERT INTO orders (customer) VALUES ({vault.TOKEN})', routes: [{ to: 'again' }] });
  const again: Step = { ...insert, name: 'again', onError: [{ to: 'show' }] };
  const steps = [insert, again, { ...showStep('{errorDescription}') }];
  await world.run(steps, { vault });
  expect(world.messages()).toContain("Duplicate entry '•••' for key");
  expect(world.messages()).not.toContain(secret);
});
