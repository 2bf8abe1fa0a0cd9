import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { FakeSqlServer, rolledBack, sentOnTo } from '../../../test/fake-sql-server';

const sandbox = useSandbox({ workers: 1 });
let server: Awaited<ReturnType<typeof FakeSqlServer.create>>;
beforeEach(async () => {
  server = await FakeSqlServer.create();
});
afterEach(() => server.close());

const runStatement = (fields: object = {}) =>
  createFlowWorld(sandbox).run([
    {
      name: 'query',
      type: 'database',
      connection: `mssql://ana:word@127.0.0.1:${server.port}/erp`,
      sql: 'SELECT 1',
      timeoutSeconds: 600,
      ...fields,
    },
  ]);

/** Tokens that no reader of the protocol accepts: a type that does not exist, and the order of columns, which only a result has. */
const UNKNOWN_TOKEN = Buffer.from([0x00]);
const ORDER_TOKEN = Buffer.from([0xa9, 2, 0, 1, 0]);

test('a step succeeds when the server answers its login and its statement', async () => {
  expect(await runStatement()).toMatchObject({ outcome: 'FINALIZED' });
});

test.each([
  ['an unknown token', UNKNOWN_TOKEN],
  ['a token of another answer', ORDER_TOKEN],
])('a login that the server answers with %s fails the step and does not end the process', async (_what, tokens) => {
  server.login = tokens;
  const { errorMessage } = await runStatement();
  expect(errorMessage).toMatch(
    /^Step "query": cannot connect to the database at 127\.0\.0\.1:\d+: (Unknown|Unexpected) /,
  );
});

test('a statement that the server answers with an unknown token fails the step and does not end the process', async () => {
  server.statement = UNKNOWN_TOKEN;
  const { errorMessage } = await runStatement();
  expect(errorMessage).toMatch(/^Step "query": the database: .*Unknown type: 0$/);
  // The package opens one connection to see whether the server answers, and one for the statement.
  expect(server.connections).toBe(2);
});

test('a connection that the server sends on reaches the other address', async () => {
  const first = await FakeSqlServer.create();
  first.login = sentOnTo('127.0.0.1', server.port);
  const connection = `mssql://ana:word@127.0.0.1:${first.port}/erp`;
  expect(await runStatement({ connection })).toMatchObject({ outcome: 'FINALIZED' });
  expect(server.connections).toBeGreaterThan(0);
  first.close();
});

test('a connection that is sent on without end fails the step', async () => {
  server.login = sentOnTo('127.0.0.1', server.port);
  const { errorMessage } = await runStatement();
  expect(errorMessage).toContain('the connection ended, or was sent on to another address, too often');
  expect(server.connections).toBe(20);
});

test('a COMMIT that the server answers with a rollback fails the step with the reason of the server', async () => {
  server.commit = rolledBack('write conflict');
  const { errorMessage } = await runStatement({ transaction: true });
  expect(errorMessage).toMatch(/^Step "query": COMMIT failed, .*: write conflict$/);
});
