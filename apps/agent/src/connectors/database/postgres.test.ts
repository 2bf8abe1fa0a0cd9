import type { Step, StepOf } from '@batuta/flow';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Client } from 'pg';
import { startPostgres, type PostgresHandle } from '../../../../../scripts/lib/servers.cjs';
import { waitUntil } from '../../../../../test/support/wait-until';
import { createFlowWorld } from '../../../test/flow-world';
import { testCertificate } from '../../../test/test-certificate';

const echoingCodeRunner = {
  evaluateExpression: (text: string) => Promise.resolve(text),
  runFunctionBody: (text: string) => Promise.resolve(text),
};

const certificate = testCertificate();
let server: PostgresHandle;
let own: Client;

beforeAll(async () => {
  server = await startPostgres({ certificate });
  own = new Client({ connectionString: server.url });
  own.on('error', () => undefined);
  await own.connect();
  await own.query(`CREATE TABLE orders (
    id BIGSERIAL PRIMARY KEY, customer TEXT UNIQUE, total NUMERIC(20,4), paid BOOLEAN, at TIMESTAMPTZ, day DATE,
    payload JSONB, picture BYTEA, tags TEXT[], ratio FLOAT8,
    corrects BIGINT REFERENCES orders DEFERRABLE INITIALLY DEFERRED)`);
});
beforeEach(() => own.query('TRUNCATE orders RESTART IDENTITY'));
afterAll(async () => {
  await own.end().catch(() => undefined);
  await server.stop();
});

const MATRIX_VALUES = [
  { name: 'total', type: 'Moeda', value: 1234.5 },
  { name: 'customer', type: 'Texto', value: `O'Brien"; DROP TABLE orders; --` },
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
  const steps = [queryStep({ ...fields, routes: [{ to: 'show' }] }), showStep(...shown)];
  const end = await world.run(steps, { matrix: MATRIX_VALUES, vault: { DB: server.url } });
  return { end, world, text: `${world.messages()}\n${end.errorMessage ?? ''}` };
}

test('references and params become parameters whose types the server takes from their places', async () => {
  const sql =
    'INSERT INTO orders (customer, total, paid, ratio) VALUES ({matrix.customer}, {matrix.total}, $1, {matrix.none}) RETURNING id';
  const { text } = await runQuery(
    { sql, params: [true] },
    '{connector.affectedRows}/{connector.rowCount}/{connector.insertId}',
  );
  expect(text).toContain('v0 = "1/1/1"');
  const { rows } = await own.query('SELECT customer, total, paid, ratio FROM orders');
  expect(rows).toEqual([{ customer: MATRIX_VALUES[1]?.value, total: '1234.5000', paid: true, ratio: null }]);
  const limited = await runQuery({ sql: 'SELECT n FROM generate_series(1, 9) n LIMIT {matrix.limit}' }, '{found}');
  expect(limited.text).toContain('v0 = [{"n":1},{"n":2}]');
});

test.each([
  '-- a new order\n',
  '/* a /* new */ order */ ',
  "WITH old (id) AS (SELECT 'x)' FROM orders) ",
  'WITH merge AS (SELECT 1) ',
])('the id that an INSERT returns is known also after %j', async (beginning) => {
  const sql = `${beginning}INSERT INTO orders (customer) VALUES ('Ana') RETURNING customer`;
  expect((await runQuery({ sql }, '{connector.insertId}')).text).toContain('v0 = "Ana"');
});

test('values of columns keep every digit', async () => {
  await own.query(`INSERT INTO orders VALUES
    (9223372036854775807, 'Ana', 12345678901234.5678, true, '2026-01-05 10:30:00.123456-02', '2026-01-05',
     '{"n": 10000000000000000000001}', '\\x00ff10', '{a,b}', 'Infinity')`);
  const { text } = await runQuery({ sql: 'SELECT id, total, paid, at FROM orders' }, '{found}');
  expect(text).toContain(
    'v0 = [{"id":"9223372036854775807","total":"12345678901234.5678","paid":true,"at":"2026-01-05 12:30:00.123456+00"}]',
  );
  const others = await runQuery({ sql: 'SELECT day, payload, picture, tags, ratio FROM orders' }, '{found}');
  expect(others.text).toContain(
    'v0 = [{"day":"2026-01-05","payload":"{\\"n\\": 10000000000000000000001}","picture":"AP8Q","tags":"{a,b}","ratio":"Infinity"}]',
  );
});

test('an interval has one form, whatever the settings of the server are', async () => {
  await own.query("ALTER ROLE CURRENT_USER SET intervalstyle = 'iso_8601'");
  const { text } = await runQuery({ sql: "SELECT INTERVAL '1 day 2 hours' AS took" }, '{found}');
  await own.query('ALTER ROLE CURRENT_USER RESET intervalstyle');
  expect(text).toContain('v0 = [{"took":"1 day 02:00:00"}]');
});

test('several statements in one text are refused', async () => {
  const { end } = await runQuery({ sql: 'SELECT 1; DELETE FROM orders' });
  expect(end.errorMessage).toBe(
    'Step "query": the database: cannot insert multiple commands into a prepared statement',
  );
});

test.each([
  [true, 0],
  [false, 1],
])('a transaction in which a statement fails (%s) leaves %i rows', async (transaction, count) => {
  const statements = [
    { sql: "INSERT INTO orders (customer) VALUES ('Ana') RETURNING id" },
    { sql: 'INSERT INTO orders (id, customer) VALUES ({connector.insertId}, $1)', params: ['Bia'] },
  ];
  const { end } = await runQuery({ transaction, statements });
  expect(end.errorMessage).toMatch(/^Step "query": statement 2: duplicate key value violates unique constraint/);
  expect((await own.query('SELECT 1 FROM orders')).rows).toHaveLength(count);
});

const countRunning = async (sql: string) => {
  const found = await own.query(
    "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1 AND pid <> pg_backend_pid()",
    [`%${sql}%`],
  );
  return found.rows.length;
};

test.each<[string, StepFields, string]>([
  ['with more rows than maxRows', { sql: 'SELECT generate_series(1, 100000000)', maxRows: 5 }, 'more than 5 rows'],
  ['with a value larger than a step may receive', { sql: "SELECT repeat('x', 50000000)" }, 'more than 5242880 bytes'],
  ['that comes too late', { sql: 'SELECT pg_sleep(1000)', timeoutSeconds: 10 }, 'did not finish within 10 s'],
])('a result %s fails the step, and the server ends the statement', async (_what, fields, message) => {
  const { end } = await runQuery(fields);
  expect(end.errorMessage).toContain(message);
  await waitUntil('the statement has ended', async () => (await countRunning(fields.sql ?? '')) === 0);
});

test('onError reads no change, no id and no rows of a transaction whose COMMIT the server refuses', async () => {
  const sql = 'INSERT INTO orders (corrects) VALUES (7) RETURNING id';
  const world = createFlowWorld(echoingCodeRunner);
  const shown = '{connector.affectedRows}/{connector.rowCount}/{connector.insertId}/{found}';
  const end = await world.run([queryStep({ sql, transaction: true, onError: [{ to: 'show' }] }), showStep(shown)], {
    vault: { DB: server.url },
  });
  expect(end.outcome).toBe('FINALIZED');
  expect(world.messages()).toContain(
    'the database refused COMMIT and rolled the transaction back: insert or update on table "orders" violates foreign key',
  );
  expect(world.messages()).toContain('v0 = "///"');
});

test('a stop of the instance ends the statement on the server, and its transaction', async () => {
  const world = createFlowWorld(echoingCodeRunner);
  const statements = [{ sql: "INSERT INTO orders (customer) VALUES ('Ana')" }, { sql: 'SELECT pg_sleep(1000)' }];
  const ended = world.run([queryStep({ transaction: true, statements })], { vault: { DB: server.url } });
  await waitUntil('the statement runs', async () => (await countRunning('pg_sleep(1000)')) === 1);
  world.control.setDesired('stop');
  expect(await ended).toMatchObject({ outcome: 'STOPPED' });
  // PostgreSQL reports the error of a statement before its process stops counting as active.
  await waitUntil('the statement has ended', async () => (await countRunning('pg_sleep(1000)')) === 0);
  expect((await own.query('SELECT 1 FROM orders')).rows).toEqual([]);
});

describe('TLS', () => {
  const SSL = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
  const trusted = getCACertificates('default');
  afterEach(() => setDefaultCACertificates(trusted));

  test.each([
    ['', false],
    ['?tls=off', false],
    ['?tls=unverified', true],
    ['?sslmode=require', true],
  ])('a connection with "%s" is encrypted: %s', async (parameters, isEncrypted) => {
    const { text } = await runQuery({ connection: `${server.url}${parameters}`, sql: SSL }, '{found}');
    expect(text).toContain(`v0 = [{"ssl":${isEncrypted}}]`);
  });

  test('with tls=verify the server needs a certificate of an authority that the agent trusts', async () => {
    const connection = `${server.url}?tls=verify`;
    const untrusted = await runQuery({ connection, sql: SSL });
    expect(untrusted.end.errorMessage).toMatch(/cannot connect to the database at .*: the certificate is not trusted/);
    setDefaultCACertificates([...trusted, certificate.cert]);
    const { text } = await runQuery({ connection, sql: SSL }, '{found}');
    expect(text).toContain('v0 = [{"ssl":true}]');
  });

  test('a value that is larger than a step may receive fails the step also over TLS', async () => {
    const { end } = await runQuery({ connection: `${server.url}?tls=unverified`, sql: "SELECT repeat('x', 50000000)" });
    expect(end.errorMessage).toContain('more than 5242880 bytes');
  });
});

test('neither a user nor a password of the agent’s environment is sent to a server', async () => {
  const url = new URL(server.url);
  process.env['PGPASSWORD'] = decodeURIComponent(url.password);
  process.env['PGUSER'] = url.username;
  try {
    for (const [change, message] of [
      [{ password: '' }, /password must be a non-empty string/],
      [{ username: '', password: '' }, /needs a user/],
    ] as const) {
      const connection = Object.assign(new URL(server.url), change).href;
      const { end } = await runQuery({ connection, sql: 'SELECT 1' });
      expect(end.errorMessage).toMatch(message);
    }
  } finally {
    delete process.env['PGPASSWORD'];
    delete process.env['PGUSER'];
  }
});

test('a server that dies during a step fails the step, and the log never shows the password', async () => {
  const world = createFlowWorld(echoingCodeRunner);
  const ended = world.run([queryStep({ sql: 'SELECT pg_sleep(1000)', connection: server.url })], {});
  await waitUntil('the statement runs', async () => (await countRunning('pg_sleep(1000)')) === 1);
  await server.end();
  const end = await ended;
  expect(end.errorMessage).toMatch(
    /^Step "query": the database: (terminating connection|Connection terminated|read ECONNRESET)/,
  );
  const refused = await runQuery({ sql: 'SELECT 1' });
  expect(refused.end.errorMessage).toMatch(/cannot connect to the database at 127.0.0.1:\d+: connect ECONNREFUSED/);
  expect(`${world.messages()}${end.errorMessage}${refused.text}`).not.toContain(server.password);
});
