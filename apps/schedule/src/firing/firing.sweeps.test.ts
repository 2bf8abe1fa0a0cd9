import { openStore, type Store } from '@batuta/database';
import { createLogger } from '@batuta/observability';
import type { PeriodicTasks } from '@batuta/service';
import { v7 as uuid } from 'uuid';
import { createMigratedDatabase } from '../../../../test/support/migrated-database';
import { registerProcess } from '../../test/registry';
import { readScheduleConfig } from '../config';
import { NominalClock } from '../nominal-clock';
import { DueScheduleService } from './due-schedule.service';
import { FiringSweeps } from './firing.sweeps';

let database: { url: string; drop(): Promise<void> };
let store: Store;
beforeAll(async () => {
  database = await createMigratedDatabase();
  store = await openStore({ url: database.url, pool: 2, statementMs: 60_000 });
});
afterAll(async () => {
  await store?.close();
  await database?.drop();
});

/** The sweeps with a real recording of due schedules; their tasks run when the test runs them. */
function createSweeps(clock = NominalClock.fromSetting(undefined)) {
  const runs = new Map<string, () => Promise<void>>();
  const requestedRuns: [string, number][] = [];
  const tasks: Pick<PeriodicTasks, 'every' | 'stopping'> = {
    stopping: false,
    every: (name, _milliseconds, task) => {
      runs.set(name, task);
      return {
        stop: async () => {},
        runWithin: (milliseconds) => void requestedRuns.push([name, milliseconds]),
      };
    },
  };
  const config = readScheduleConfig({ DATABASE_URL: database.url, NATS_URL: 'nats://127.0.0.1:4222' });
  const logger = createLogger('test', 'silent');
  new FiringSweeps(
    tasks,
    new DueScheduleService(store, clock, { recordResult: () => {} }, logger),
    { startPending: async () => {} },
    { recordMissed: async () => {} },
    store,
    config,
    logger,
  ).onApplicationBootstrap();
  return { runs, requestedRuns };
}

test('firings are attempted as soon as they are recorded, and not at the next poll', async () => {
  const { processID, ownerID } = await registerProcess(store);
  const { runs, requestedRuns } = createSweeps();
  await runs.get('due schedules')?.();
  expect(requestedRuns).not.toContainEqual(['pending firings', 0]);
  await store.write(
    `INSERT INTO schedule (schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix, active,
       next_at, created_at) VALUES (?, ?, ?, 'u', 'e', 'n', '* * * * *', '{}', 1, UTC_TIMESTAMP(3) - INTERVAL 1 MINUTE, NOW(3))`,
    [uuid(), processID, ownerID],
  );
  await runs.get('due schedules')?.();
  expect(requestedRuns).toContainEqual(['pending firings', 0]);
  expect(await store.rows("SELECT 1 FROM schedule_firing WHERE result = 'pending'")).toHaveLength(1);
});

test('due schedules are looked for at the next full minute, and not at the first poll after it', async () => {
  const { runs, requestedRuns } = createSweeps(new NominalClock(() => "TIMESTAMP'2026-11-20 12:00:59.900'"));
  await runs.get('due schedules')?.();
  expect(requestedRuns).toEqual([['due schedules', 100]]);
});
