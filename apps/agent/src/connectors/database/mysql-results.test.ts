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
  await own.query('CREATE TABLE flags (one BIT, many BIT(64), bytes VARBINARY(2))');
  await own.query("INSERT INTO flags VALUES (1, b'1', X'01'), (0, ~0, X'00'), (NULL, 9, NULL)");
  await own.query('CREATE TABLE moments (id INT, at DATETIME(6), day DATETIME, took TIME(3))');
  await own.query(
    "INSERT INTO moments VALUES (1, '2026-01-05', '2026-01-05 12:30', '12:30:00.5'), (2, '2026-01-05 12:30:00.1', '2026-01-05', '-100:00')",
  );
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

test.each(['SELECT * FROM flags', 'SELECT * FROM flags WHERE {execSteps} = 1'])(
  'a BIT is a whole number, and binary content base64 text: %s',
  async (sql) => {
    const first = { one: 1, many: 1, bytes: 'AQ==' };
    const second = { one: 0, many: '18446744073709551615', bytes: 'AA==' };
    expect((await run({ sql })).messages).toContain(
      JSON.stringify([first, second, { one: null, many: 9, bytes: null }]),
    );
  },
);

test.each(['SELECT * FROM moments ORDER BY id', 'SELECT * FROM moments WHERE {execSteps} = 1 ORDER BY id'])(
  'a time has all digits of its fraction, also zeros, with and without parameters: %s',
  async (sql) => {
    const rows = [
      { id: 1, at: '2026-01-05 00:00:00.000000', day: '2026-01-05 12:30:00', took: '12:30:00.500' },
      { id: 2, at: '2026-01-05 12:30:00.100000', day: '2026-01-05 00:00:00', took: '-100:00:00.000' },
    ];
    expect((await run({ sql })).messages).toContain(JSON.stringify(rows));
  },
);
