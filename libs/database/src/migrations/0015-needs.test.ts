import { v7 as uuid } from 'uuid';
import { createMigratedDatabase } from '../../../../test/support/migrated-database';
import { openDataSource } from '../data-source';
import { Needs0015 } from './0015-needs';

test('the migration takes ended instances out of the index of the queue, and leaves waiting ones in it', async () => {
  const database = await createMigratedDatabase();
  const { source } = await openDataSource({ url: database.url, pool: 1 });
  const [waiting, ended] = [uuid(), uuid()];
  for (const [id, status, finishedAt] of [
    [waiting, 'queued', null],
    [ended, 'stopped', '2026-03-02 14:05:09.120'],
  ]) {
    await source.query(
      `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, environment_id, version_id,
         version, trigger_kind, user_name, executor, request_id, status, accepted_as, accepted_at, finished_at)
       VALUES (?, '', '', '', '', 'e', '', 1, 'api', '', '', '', ?, 'queued', UTC_TIMESTAMP(3), ?)`,
      [id, status, finishedAt],
    );
  }
  const runner = source.createQueryRunner();
  await new Needs0015().up(runner);
  await runner.release();
  const left = await source.query('SELECT instance_id FROM instance WHERE claimed_at = finished_at');
  expect(left).toEqual([{ instance_id: ended }]);
  await source.destroy();
  await database.drop();
});
