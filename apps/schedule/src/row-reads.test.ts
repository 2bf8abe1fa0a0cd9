import { openStore, PageBudget, type Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';
import { createMigratedDatabase } from '../../../test/support/migrated-database';
import { registerProcess, type RegisteredProcess } from '../test/registry';
import { lockDueSchedules } from './firing/due-schedule.repository';
import { newestFirings } from './firing/firing-page.repository';
import { leasePendingFirings, removeOldFirings } from './firing/firing.repository';
import { pageOfSchedules } from './schedules/schedule.repository';

// Frequent queries read few rows, however large the tables are: each test counts the rows that a query reads beside 20,000 others.

const OTHER_ROW_COUNT = 20_000;
const pages = new PageBudget();
let database: { url: string; drop(): Promise<void> };
let store: Store;
let owned: RegisteredProcess;
let scheduleID: string;

beforeAll(async () => {
  database = await createMigratedDatabase();
  // One connection, because the counters of rows read are per connection; it inserts thousands of rows at once.
  store = await openStore({ url: database.url, pool: 1, statementMs: 60_000 });
  owned = await registerProcess(store);
  const others = await registerProcess(store);
  const columns = `schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix, active,
    next_at, created_at`;
  await store.write(
    `INSERT INTO schedule (${columns}) SELECT UUID(), ?, ?, 'u', 'e', 'n', '* * * * *', '{}', 1,
       '2026-11-20 12:00:00' + INTERVAL seq SECOND, NOW(3) FROM seq_1_to_${OTHER_ROW_COUNT}`,
    [others.processID, others.ownerID],
  );
  scheduleID = uuid();
  await store.write(
    `INSERT INTO schedule (${columns}) VALUES (?, ?, ?, 'u', 'e', 'n', '* * * * *', '{}', 1, '2026-11-20 12:00:00', NOW(3))`,
    [scheduleID, owned.processID, owned.ownerID],
  );
  await store.write(
    `INSERT INTO schedule_firing (schedule_id, nominal_at, result, instance_id, next_attempt_at, expires_at, settled_at)
       SELECT ?, '2026-01-01' + INTERVAL seq MINUTE, IF(seq % 1000 = 0, 'pending', 'fired'), UUID(),
              IF(seq % 1000 = 0, '2026-11-20 12:00:00', NULL), NOW(3), NOW(3) FROM seq_1_to_${OTHER_ROW_COUNT}`,
    [scheduleID],
  );
  await store.rows('ANALYZE TABLE schedule, schedule_firing');
});

afterAll(async () => {
  await store?.close();
  await database?.drop();
});

async function rowsReadBy(work: () => Promise<unknown>): Promise<number> {
  await store.write('FLUSH STATUS');
  await work();
  const counters = await store.rows<{ Variable_name: string; Value: string }>(
    "SHOW SESSION STATUS WHERE Variable_name IN ('Handler_read_key', 'Handler_read_next', 'Handler_read_prev', 'Handler_read_rnd_next', 'Handler_read_first')",
  );
  return counters.reduce((sum, { Value }) => sum + Number(Value), 0);
}

const NOW = new Date('2026-11-20T18:00:00Z');

test.each<[string, () => Promise<unknown>]>([
  ['locking ten of twenty thousand due schedules', () => store.transaction((tx) => lockDueSchedules(tx, NOW, 10))],
  ['locking due schedules when none is due', () => lockDueSchedules(store, new Date(0), 10)],
  ['leasing ten pending firings', () => store.transaction((tx) => leasePendingFirings(tx, NOW, NOW, 10))],
  [
    'listing the newest ten firings of a schedule',
    () => newestFirings(store, pages, { scheduleID, accountID: owned.ownerID, limit: 10 }),
  ],
  [
    'listing ten older firings of a schedule',
    () =>
      newestFirings(store, pages, {
        scheduleID,
        accountID: owned.ownerID,
        limit: 10,
        before: new Date('2026-01-10T00:00:00Z'),
      }),
  ],
  ['listing the schedules of an account', () => pageOfSchedules(store, pages, { accountID: owned.ownerID })],
  ['listing the schedules of a process', () => pageOfSchedules(store, pages, { processID: owned.processID })],
  ['removing old firings when there are none', () => removeOldFirings(store, 10_000)],
])('%s reads fewer than 100 rows', async (_, work) => {
  expect(await rowsReadBy(work)).toBeLessThan(100);
});

test('the count of rows read shows a query without an index', async () => {
  const scan = () => store.rows("SELECT COUNT(*) FROM schedule WHERE user_name = 'u'");
  expect(await rowsReadBy(scan)).toBeGreaterThan(OTHER_ROW_COUNT);
});
