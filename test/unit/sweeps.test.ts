import { BiteSize, openStore, type Store } from '@batuta/database';
import { AllowanceRepository } from '@batuta/rate';
import { glob, readFile } from 'node:fs/promises';
import { LoginService } from '../../apps/console/src/sessions/login.service';
import { LostInstanceService } from '../../apps/execution/src/delivery/lost-instance.service';
import { InstanceQueryService } from '../../apps/execution/src/instances/instance-query.service';
import { countQueued } from '../../apps/execution/src/instances/instance.repository';
import {
  cancelBatch,
  endCancellation,
  environmentsToCancel,
} from '../../apps/execution/src/queue-cancellation/queue-cancellation.repository';
import {
  deleteInstances,
  deleteKeys,
  deleteLogs,
  deleteSealedAnswers,
} from '../../apps/execution/src/retention/retention.repository';
import { SessionRepository } from '../../apps/router/src/sessions/session.repository';
import { lockDueSchedules } from '../../apps/schedule/src/firing/due-schedule.repository';
import {
  leasePendingFirings,
  removeOldFirings,
  saveAttemptResult,
} from '../../apps/schedule/src/firing/firing.repository';
import { MissedTimesService } from '../../apps/schedule/src/firing/missed-times.service';
import { removeSchedule, removeSchedulesOfDeletedProcesses } from '../../apps/schedule/src/schedules/schedule-removal';
import { removeOrphanedOrigins } from '../../apps/webhook/src/origins/orphaned-origins';
import { PermitService } from '../../apps/webhook/src/permits/permit.service';
import { statementsOf, unindexedReads } from '../support/plans';
import { createMigratedDatabase } from '../support/migrated-database';
import type { TestDatabase } from '../support/servers';

// Whatever deletes or recovers rows in the background must find them by an index, and lock few at a time.

/** Enough that no optimizer prefers to read a whole table. */
const ROWS = 4_000;
/** The most rows of one bite. */
const LARGEST_BITE = 500;
/** Rows of each table that the sweeps delete; more than the largest bite. */
const OLD_ROWS = 1_500;
const PROCESS = '00000000-0000-7000-8000-000000000001';
const [COMPANY, PLAN, SCHEDULE] = [PROCESS, PROCESS, PROCESS];
/** An environment whose queue is being cancelled, and the process of its instances. */
const CANCELLED = '00000000-0000-7000-8000-000000000002';

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await createMigratedDatabase();
  // The first statements write thousands of rows.
  store = await openStore({ url: database.url, pool: 2, statementMs: 60_000 });
  for (const statement of FILL) await store.write(statement);
  await store.rows(`ANALYZE TABLE ${TABLES.join(', ')}`);
});
afterAll(async () => {
  await store?.close();
  await database?.drop();
});

/** The first OLD_ROWS of a table are older than every retention, the others are of now. */
const AT = `UTC_TIMESTAMP(3) - INTERVAL IF(seq <= ${OLD_ROWS}, 500, 0) DAY`;
const SEQ = `seq_1_to_${ROWS}`;
/** A list of a whole batch must be a small part of the table. */
const INSTANCES = `seq_1_to_${5 * ROWS}`;
const FILL = [
  `INSERT INTO plan (plan_id, name, api_access, scheduling, monthly_credits, log_retention_days, requests_per_minute, created_at)
     SELECT IF(seq = 1, '${PLAN}', UUID()), CONCAT('p', seq), 1, 1, 100, 30, 600, NOW(3) FROM ${SEQ}`,
  `INSERT INTO company (company_id, name, plan_id, suspended, created_at)
     SELECT IF(seq = 1, '${COMPANY}', UUID()), 'c', '${PLAN}', 0, NOW(3) FROM ${SEQ}`,
  `INSERT INTO process (process_id, account_id, company_id, process_name, created_at)
     SELECT IF(seq = 1, '${PROCESS}', UUID()), UUID(), '${COMPANY}', 'P', NOW(3) FROM ${SEQ}`,
  `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, environment_id, version_id,
       version, trigger_kind, user_name, executor, request_id, status, accepted_as, accepted_at, finished_at, history_at, has_log)
     SELECT UUID(), '${PROCESS}', 'P', '${COMPANY}', '${COMPANY}', '${COMPANY}', '${COMPANY}', 1, 'api', 'u', 'e', 'r',
            IF(seq % 500 = 0, 'running', 'success'), 'started', ${AT}, IF(seq % 500 = 0, NULL, ${AT}),
            IF(seq % 500 = 0, NULL, ${AT}), seq % 100 = 1 FROM ${INSTANCES}`,
  `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, environment_id, version_id,
       version, trigger_kind, user_name, executor, request_id, status, accepted_as, accepted_at)
     SELECT UUID(), '${CANCELLED}', 'P', '${COMPANY}', '${COMPANY}', '${CANCELLED}', '${COMPANY}', 1, 'api', 'u', 'e', 'r',
            'queued', 'queued', NOW(3) FROM ${SEQ}`,
  `INSERT INTO queue_cancellation (environment_id, cancel_before)
     SELECT IF(seq = 1, '${CANCELLED}', UUID()), NOW(3) + INTERVAL 1 DAY FROM ${SEQ}`,
  `INSERT INTO instance_input (instance_id, sealed) SELECT instance_id, 'x' FROM instance`,
  `INSERT INTO instance_log (instance_id, line, logged_at, severity, message, step, evidence)
     SELECT instance_id, seq, NOW(3), 'INFO', 'm', 's', NULL FROM instance JOIN seq_1_to_50
     WHERE has_log = 1`,
  `INSERT INTO instance_answer (instance_id, valid, code, body, recorded_at)
     SELECT instance_id, 1, 200, '{}', NOW(3) FROM instance`,
  `INSERT INTO instance_secret_answer (instance_id, masked, sealed, sealed_at)
     SELECT instance_id, '{}', 'x', accepted_at FROM instance`,
  `INSERT INTO idempotency_key (key_hash, instance_id, status, body_hash, created_at)
     SELECT UNHEX(SHA2(seq, 256)), UUID(), 'started', UNHEX(SHA2(seq, 256)), ${AT} FROM ${SEQ}`,
  `INSERT INTO login_session (token_hash, account_id, created_at, expires_at)
     SELECT UNHEX(SHA2(seq, 256)), UUID(), ${AT}, ${AT} + INTERVAL 12 HOUR FROM ${SEQ}`,
  `INSERT INTO agent_session (session_id, environment_id, router_id, agent_name, runtime_version, abilities, capacity, connected_at, lease_until, closed_at)
     SELECT UUID(), '${COMPANY}', 'r', 'a', '1', '[]', 1, ${AT}, ${AT} + INTERVAL 1 MINUTE, NULL FROM ${SEQ}`,
  `INSERT INTO rate_allowance (subject, window_start, taken)
     SELECT CONCAT('s', seq), IF(seq <= ${OLD_ROWS}, 1, 1000), 1 FROM ${SEQ}`,
  `INSERT INTO schedule (schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix, environment_id, active, next_at, created_at)
     SELECT IF(seq = 1, '${SCHEDULE}', UUID()), IF(seq <= 3, UUID(), '${PROCESS}'), UUID(), 'u', 'e', 'n',
     '* * * * *', '{}', NULL, 1, NOW(3), NOW(3) FROM ${SEQ}`,
  `INSERT INTO schedule_firing (schedule_id, nominal_at, instance_id, result, reason_code, reason_message, attempts, next_attempt_at, expires_at, settled_at)
     SELECT '${SCHEDULE}', NOW(3) - INTERVAL IF(seq <= ${OLD_ROWS}, 500, 0) DAY - INTERVAL seq MINUTE,
     UUID(), IF(seq % 2 = 0, 'pending', 'fired'), NULL, NULL, 1, IF(seq % 2 = 0, NOW(3), NULL), NULL, NOW(3) FROM ${SEQ}`,
  `INSERT INTO schedule_backlog (schedule_id, from_at, until_at) SELECT UUID(), NOW(3), NOW(3) FROM ${SEQ}`,
  `INSERT INTO origin (origin_id, process_id, name, response_mode, wait_seconds, mapping_saved, created_at)
     SELECT UUID(), IF(seq <= 3, UUID(), '${PROCESS}'), 'o', 'imediata', 30, '[]', NOW(3) FROM ${SEQ}`,
  `INSERT INTO origin_token (token_hash, origin_id, kind, sealed, created_at, revoked_at)
     SELECT UNHEX(SHA2(origin_id, 256)), origin_id, 'dev', NULL, NOW(3), NULL FROM origin`,
  `INSERT INTO capture (capture_id, origin_id, captured_at, bytes, truncated, body, query, headers)
     SELECT UUID(), origin_id, NOW(3), 1, 0, '', '', '' FROM origin`,
  `INSERT INTO waiting_call (process_id, holder, places, turn, lease_until)
     SELECT UUID(), UUID(), 1, 1, ${AT} + INTERVAL 1 HOUR FROM ${SEQ}`,
];
const TABLES = [...new Set(FILL.map((statement) => statement.split(/\s+/)[2] ?? ''))];

/** A service with nothing but the parts that sweeps use. */
const withStore = <Service extends object>(prototype: Service): Service =>
  Object.assign(Object.create(prototype), {
    store,
    rpc: { notify: () => {} },
    changes: { changed: () => {} },
    metrics: { lost: { inc: () => {} }, recordResult: () => {} },
    size: new BiteSize(),
  });

const sessions = () => new SessionRepository(store, { LEASE_SECONDS: 15 });
const missedTimes = () => withStore(MissedTimesService.prototype);

/** False, and then true. */
function onlyOnce(): () => boolean {
  let asked = 0;
  return () => ++asked > 1;
}

async function leaseAndSave(tx: Store): Promise<void> {
  const [first] = await leasePendingFirings(tx, new Date(Date.now() + 60_000), new Date(), 50);
  if (!first) throw new Error('No pending firing');
  await saveAttemptResult(tx, first, { result: 'fired' }, 0);
}

/** The periodic task, what it finds, and its work. */
const SWEEPS: [string, string, () => Promise<unknown>][] = [
  ['retention', 'idempotency keys', () => deleteKeys(store)],
  ['retention', 'sealed answers', () => deleteSealedAnswers(store)],
  ['retention', 'log lines', () => deleteLogs(store, 400)],
  ['retention', 'ended instances', () => deleteInstances(store, 400)],
  ['queue cancellations', 'queues to cancel', () => environmentsToCancel(store)],
  ['queue cancellations', 'instances of a cancelled queue', () => cancelBatch(store, CANCELLED, LARGEST_BITE)],
  ['queue cancellations', 'the end of a cancellation', () => endCancellation(store, PROCESS)],
  ['queue counts', 'instances of a queue', () => countQueued(store, CANCELLED, 1_000)],
  ['lost instances', 'lost instances', () => withStore(LostInstanceService.prototype).sweep(15)],
  ['expired logins', 'expired logins', () => withStore(LoginService.prototype).removeExpired()],
  ['old sessions', 'old agent sessions', () => sessions().deleteOld()],
  ['renew leases', 'sessions of a replica', () => sessions().renew([PROCESS, COMPANY])],
  ['rate allowances', 'rate allowances', () => new AllowanceRepository(store, 60_000).deleteBefore(1_000)],
  ['due schedules', 'due schedules', () => store.transaction((tx) => lockDueSchedules(tx, new Date(), 100))],
  ['pending firings', 'pending firings', () => store.transaction(leaseAndSave)],
  ['missed times', 'ranges of missed times', () => missedTimes().recordMissed(onlyOnce())],
  ['old firings', 'old firings', () => removeOldFirings(store, 30)],
  ['schedules of deleted processes', 'a schedule with its firings', () => removeSchedule(store, SCHEDULE)],
  ['schedules of deleted processes', 'orphaned schedules', () => removeSchedulesOfDeletedProcesses(store)],
  ['schedules of deleted processes', 'schedules of a process', () => removeSchedulesOfDeletedProcesses(store, PROCESS)],
  ['origins of deleted processes', 'orphaned origins', () => removeOrphanedOrigins(store)],
  ['origins of deleted processes', 'origins of a process', () => removeOrphanedOrigins(store, PROCESS)],
  ['expired permit leases', 'expired permit leases', () => withStore(PermitService.prototype).removeExpired()],
  ['', 'instances of a process in use', () => withStore(InstanceQueryService.prototype).inUse({ processID: PROCESS })],
];
test.each(SWEEPS)('%s: %s are found by an index and changed in bites', async (_task, _what, sweep) => {
  const statements = await statementsOf(sweep);
  expect(statements).not.toEqual([]);
  expect(await unindexedReads(store, statements)).toEqual([]);
  expect(statements.filter(({ affectedRows }) => affectedRows > LARGEST_BITE)).toEqual([]);
});

/** They write nothing to the database, and read by ids that the replica holds in memory. */
const READING_TASKS = [
  'check environments',
  'check lease clocks',
  'credentials of event streams',
  'database clock',
  'poll queues',
  'reconcile desired states',
];

test('every periodic task is in the list above or only reads', async () => {
  const files = await Promise.all(['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'].map((pattern) => filesLike(pattern)));
  const tasks = files
    .flat()
    .flatMap((text) => Array.from(text.matchAll(/\btasks\.every\(\s*'([^']+)'/g), ([, name]) => name));
  const listed = new Set([...SWEEPS.map(([task]) => task), ...READING_TASKS].filter(Boolean));
  expect(new Set(tasks)).toEqual(listed);
});

async function filesLike(pattern: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const path of glob(pattern)) if (!path.endsWith('.test.ts')) texts.push(await readFile(path, 'utf8'));
  return texts;
}
