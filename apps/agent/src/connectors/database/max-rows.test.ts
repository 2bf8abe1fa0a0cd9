import type { StepOf } from '@batuta/flow';
import { createConnection } from 'mysql2/promise';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/servers';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';

const sandbox = useSandbox({ workers: 1 });
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  const own = await createConnection({ uri: database.url });
  await own.query('CREATE PROCEDURE several() BEGIN SELECT 7 AS a; SELECT seq FROM seq_1_to_100; END');
  await own.end();
});
afterAll(() => database.drop());

async function run(fields: Partial<StepOf<'database'>>) {
  const world = createFlowWorld(sandbox);
  const shown = { name: 'shown', mode: 'Variável ou texto', value: '{connector.rowCount} {found}' } as const;
  const end = await world.run(
    [
      { name: 'query', type: 'database', connection: '{vault.DB}', as: 'found', routes: [{ to: 'show' }], ...fields },
      { name: 'show', type: 'variables', rows: [shown] },
    ],
    { vault: { DB: database.url } },
  );
  return { end, messages: world.messages() };
}

test('maxRows bounds the rows that all statements of a step read together', async () => {
  const statements = [{ sql: 'SELECT seq FROM seq_1_to_2' }, { sql: 'SELECT seq FROM seq_1_to_2' }];
  const { end } = await run({ statements, maxRows: 3 });
  expect(end.errorMessage).toContain('more than 3 rows (maxRows)');
  expect((await run({ statements, maxRows: 4 })).messages).toContain(
    'shown = "4 [[{"seq":1},{"seq":2}],[{"seq":1},{"seq":2}]]"',
  );
});

test('of a statement with several results only the rows of the first are kept and counted', async () => {
  expect((await run({ sql: 'CALL several()', maxRows: 5 })).messages).toContain('shown = "1 [{"a":7}]"');
});
