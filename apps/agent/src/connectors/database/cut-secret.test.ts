import { createTestDatabase, type TestDatabase } from '../../../../../test/support/servers';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';

const TOKEN = Array.from({ length: 30 }, (_, n) => `Token${n}`).join('');
const sandbox = useSandbox({ workers: 1 });
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test.each([
  ['INSERT INTO tokens (number) VALUES ({vault.TOKEN})', "Incorrect integer value: '•••"],
  ['INSERT INTO tokens (text) VALUES ({vault.TOKEN}), ({vault.TOKEN})', "Duplicate entry '•••"],
])('a long secret that the server cuts in its message stays hidden: %s', async (sql, message) => {
  const world = createFlowWorld(sandbox);
  const step = { type: 'database', connection: '{vault.DB}' } as const;
  const table = 'CREATE OR REPLACE TABLE tokens (number INT, text VARCHAR(700) UNIQUE)';
  const steps = [
    { ...step, name: 'table', sql: table, routes: [{ to: 'insert' }] },
    { ...step, name: 'insert', sql },
  ];
  const end = await world.run(steps, { vault: { DB: database.url, TOKEN } });
  expect(end.errorMessage).toContain(message);
  expect(`${world.messages()}${end.errorMessage}`).not.toContain('Token0');
});
