import { createTestDatabase } from '../../../../test/support/servers';
import { waitUntil } from '../../../../test/support/wait-until';
import { openDataSource, openStore } from '../data-source';
import { addColumn } from './repeatable';

const READ = 'SELECT * FROM backed_up';
const WAITING_CHANGES = `SELECT 1 FROM information_schema.processlist
                          WHERE db = DATABASE() AND info LIKE 'ALTER %' AND state LIKE 'Waiting for table metadata%'`;

test('a change of a table that waits for a long read lets others read the table, and is made after the long read', async () => {
  const database = await createTestDatabase();
  const { source } = await openDataSource({ url: database.url, pool: 2, statementMs: 3_600_000 });
  const services = await openStore({ url: database.url, pool: 2 });
  await services.write('CREATE TABLE backed_up (id int)');
  const runner = source.createQueryRunner();
  let change: Promise<void> | undefined;
  await services.transaction(async (backup) => {
    await backup.write('SET SESSION idle_transaction_timeout = 0');
    await backup.rows(READ);
    change = addColumn(runner, 'backed_up', 'more', 'int NULL');
    await waitUntil('the change waits', async () => {
      const waiting: unknown[] = await source.query(WAITING_CHANGES);
      return waiting.length > 0;
    });
    expect(await services.rows(READ)).toEqual([]);
  });
  await change;
  await services.write('INSERT INTO backed_up (id, more) VALUES (1, 2)');
  expect(await services.rows(READ)).toEqual([{ id: 1, more: 2 }]);
  await runner.release();
  await services.close();
  await source.destroy();
  await database.drop();
});
