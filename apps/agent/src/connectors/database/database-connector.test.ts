import { createServer } from 'node:net';
import { listenOnFreePort } from '../../../../../test/support/web-server';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';

const sandbox = useSandbox({ workers: 1 });
const silent = createServer();
let port: number;

beforeAll(async () => {
  port = await listenOnFreePort(silent);
});
afterAll(() => silent.close());

test.each(['mysql', 'postgres', 'mssql'])(
  'a %s server that does not answer a new connection is named with its port',
  async (dialect) => {
    const connection = `${dialect}://ana:s3cret@127.0.0.1:${port}/shop`;
    const { errorMessage } = await createFlowWorld(sandbox).run([
      { name: 'query', type: 'database', connection, sql: 'SELECT 1', timeoutSeconds: 1 },
    ]);
    expect(errorMessage).toBe(
      `Step "query": cannot connect to the database at 127.0.0.1:${port}: no answer within 1 s`,
    );
  },
);

test('a database server whose name has no address is told by the name', async () => {
  const { errorMessage } = await createFlowWorld(sandbox).run([
    { name: 'query', type: 'database', connection: 'mysql://ana:s3cret@nowhere.invalid/shop', sql: 'SELECT 1' },
  ]);
  expect(errorMessage).toMatch(/the database at nowhere\.invalid:3306: .*name "nowhere\.invalid" has/);
});
