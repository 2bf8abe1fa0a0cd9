import { createTestDatabase, type TestDatabase } from '../../../../../test/support/servers';
import { createFlowWorld, useSandbox, variablesStep } from '../../../test/flow-world';

const sandbox = useSandbox({ workers: 1 });
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test.each([
  [true, '///'],
  [false, '1/0/1/[[]]'],
])(
  'onError reads no change, no id and no rows of a transaction that is rolled back, and those of statements without one: %s %s',
  async (transaction, seen) => {
    const world = createFlowWorld(sandbox);
    const inserted = { sql: "INSERT INTO orders (customer) VALUES ('Ana')" };
    const value = '{connector.affectedRows}/{connector.rowCount}/{connector.insertId}/{found}';
    const step = { type: 'database', connection: '{vault.DB}' } as const;
    const end = await world.run(
      [
        {
          ...step,
          name: 'table',
          sql: 'CREATE OR REPLACE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, customer VARCHAR(200) UNIQUE)',
          routes: [{ to: 'order' }],
        },
        {
          ...step,
          name: 'order',
          as: 'found',
          transaction,
          statements: [inserted, inserted],
          onError: [{ to: 'show' }],
        },
        variablesStep('show', { rows: [{ name: 'seen', mode: 'Variável ou texto', value }] }),
      ],
      { vault: { DB: database.url } },
    );
    expect(end.outcome).toBe('FINALIZED');
    expect(world.messages()).toContain(`seen = "${seen}"`);
  },
);
