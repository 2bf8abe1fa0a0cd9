import { BiteSize, openStore, type Store } from '@batuta/database';
import { AllowanceRepository } from '@batuta/rate';
import { glob, readFile } from 'node:fs/promises';
import {
  deleteManagementEvents,
  recordDeletedProcesses,
} from '../../apps/console/src/audit/audit-retention.repository';
import { LoginService } from '../../apps/console/src/sessions/login.service';
import {
  abandonedUploads,
  completeAt,
  completeInDatabase,
  locationsOf,
  pageOfPictures,
  picturesOfDeletedProcess,
} from '../../apps/execution/src/evidence/evidence-list.repository';
import { deleteEvidence } from '../../apps/execution/src/evidence/evidence.repository';
import { DatabaseStore } from '../../apps/execution/src/evidence/stores/database-store';
import { LostInstanceService } from '../../apps/execution/src/delivery/lost-instance.service';
import { InstanceQueryService } from '../../apps/execution/src/instances/instance-query.service';
import { countQueued } from '../../apps/execution/src/instances/instance.repository';
import {
  cancelBatch,
  endCancellation,
  environmentsToCancel,
} from '../../apps/execution/src/queue-cancellation/queue-cancellation.repository';
import {
  carryLedgers,
  deleteAuditEvents,
  removeDeletedProcesses,
} from '../../apps/execution/src/retention/plan-retention.repository';
import {
  deleteInstances,
  deleteKeys,
  deleteLogs,
  deletePictures,
  deleteSealedAnswers,
} from '../../apps/execution/src/retention/retention.repository';
import { LeaseHealthRepository } from '../../apps/router/src/leases/lease-health.repository';
import { SessionRepository } from '../../apps/router/src/sessions/session.repository';
import { lockDueSchedules, setNextTimes } from '../../apps/schedule/src/firing/due-schedule.repository';
import {
  leasePendingFirings,
  removeOldFirings,
  saveAccepted,
  saveAttemptResult,
} from '../../apps/schedule/src/firing/firing.repository';
import { MissedTimesService } from '../../apps/schedule/src/firing/missed-times.service';
import {
  removeSchedule,
  removeSchedulesOfDeletedProcess,
  sweepOfOrphanedSchedules,
} from '../../apps/schedule/src/schedules/schedule-removal';
import {
  cutBacklog,
  deleteOldDeliveries,
  nextSubscription,
  OrphanedDeliveries,
} from '../../apps/webhook/src/event-deliveries/delivery-retention.repository';
import {
  deferDue,
  deliveryTargets,
  disable,
  dueDeliveries,
  endDeferral,
  endWaiting,
  leaseDeliveries,
  saveDelivered,
  saveFailed,
} from '../../apps/webhook/src/event-deliveries/delivery.repository';
import {
  removeOrphanedSubscriptions,
  sweepOfOrphanedSubscriptions,
} from '../../apps/webhook/src/event-subscriptions/orphaned-subscriptions';
import { removeOrphanedOrigins, sweepOfOrphanedOrigins } from '../../apps/webhook/src/origins/orphaned-origins';
import { PermitService } from '../../apps/webhook/src/permits/permit.service';
import { recordStatements, findUnindexedReads } from '../support/query-plans';
import { createMigratedDatabase } from '../support/migrated-database';
import type { TestDatabase } from '../support/servers';

// Whatever deletes or recovers rows in the background must find them by an index, and lock few at a time.

/** Rows of each table: so many that the optimizer does not prefer to read the whole table. */
const ROW_COUNT = 4_000;
/** The most rows of one bite. */
const MAX_BITE_ROWS = 500;
/** Rows of each table that the sweeps delete; more than the largest bite. */
const OLD_ROW_COUNT = 1_500;
const PROCESS_ID = '00000000-0000-7000-8000-000000000001';
/** A plan that says for how many days audit events and ledger entries are kept; the company `COMPANY` has it. */
const KEEPING_PLAN = '00000000-0000-7000-8000-000000000003';
const [COMPANY, PLAN, SCHEDULE, SUBSCRIPTION] = [PROCESS_ID, PROCESS_ID, PROCESS_ID, PROCESS_ID];
/** An environment whose queue is being cancelled, and the process of its instances. */
const CANCELLED_ENVIRONMENT_ID = '00000000-0000-7000-8000-000000000002';
/** A subscription that was removed, whose deliveries wait. */
const CLOSED_SUBSCRIPTION = CANCELLED_ENVIRONMENT_ID;

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await createMigratedDatabase();
  // The time limit is long because the statements that fill the tables write thousands of rows.
  store = await openStore({ url: database.url, pool: 2, statementMs: 60_000 });
  for (const statement of FILL_STATEMENTS) await store.write(statement);
  await store.rows(`ANALYZE TABLE ${TABLES.join(', ')}`);
});
afterAll(async () => {
  await store?.close();
  await database?.drop();
});

/** Times of the rows of a table: the first OLD_ROW_COUNT rows are older than every retention, the others are of now. */
const TIME_OF_ROW_SQL = `UTC_TIMESTAMP(3) - INTERVAL IF(seq <= ${OLD_ROW_COUNT}, 500, 0) DAY`;
const ROW_SEQUENCE = `seq_1_to_${ROW_COUNT}`;
/** More instances than rows of other tables, because the ids of a whole batch must be a small part of the table. */
const INSTANCE_SEQUENCE = `seq_1_to_${5 * ROW_COUNT}`;
const FILL_STATEMENTS = [
  `INSERT INTO plan (plan_id, name, api_access, scheduling, monthly_credits, log_retention_days, requests_per_minute, created_at)
     SELECT IF(seq = 1, '${PLAN}', UUID()), CONCAT('p', seq), 1, 1, 100, 30, 600, NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO company (company_id, name, plan_id, suspended, created_at)
     SELECT IF(seq = 1, '${COMPANY}', UUID()), 'c', IF(seq = 1, '${KEEPING_PLAN}', '${PLAN}'), 0, NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO plan (plan_id, name, api_access, scheduling, monthly_credits, log_retention_days, requests_per_minute, audit_days, ledger_days, created_at)
     VALUES ('${KEEPING_PLAN}', 'keeping', 1, 1, 100, 30, 600, 30, 30, NOW(3))`,
  `INSERT INTO process (process_id, account_id, company_id, process_name, created_at)
     SELECT IF(seq = 1, '${PROCESS_ID}', UUID()), UUID(), IF(seq % 100 = 1, '${COMPANY}', UUID()), 'P', NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO deleted_process (process_id, company_id, deleted_at)
     SELECT UUID(), IF(seq % 100 = 1, '${COMPANY}', UUID()), ${TIME_OF_ROW_SQL} FROM ${ROW_SEQUENCE}`,
  `INSERT INTO audit_event (process_id, action, executor, detail, created_at)
     SELECT IF(seq % 3 = 1, '${PROCESS_ID}', UUID()), 'start', 'e', '{}', ${TIME_OF_ROW_SQL} FROM ${INSTANCE_SEQUENCE}`,
  `INSERT INTO credit_entry (company_id, kind, amount, instance_id, created_at)
     SELECT IF(seq % 2 = 1, '${COMPANY}', UUID()), 'start', -1, UUID(), ${TIME_OF_ROW_SQL} FROM ${INSTANCE_SEQUENCE}`,
  `INSERT INTO management_event (event_id, company_id, action, object_id, detail, created_at)
     SELECT CONCAT(IF(seq <= ${OLD_ROW_COUNT}, '0', 'f'), UUID_SHORT()), IF(seq % 2 = 1, '${COMPANY}', UUID()), 'vault.put', 'k', '{}', NOW(3)
       FROM ${INSTANCE_SEQUENCE}`,
  `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, environment_id, version_id,
       version, trigger_kind, user_name, executor, request_id, status, accepted_as, accepted_at, finished_at, history_at, has_log)
     SELECT UUID(), '${PROCESS_ID}', 'P', '${COMPANY}', '${COMPANY}', '${COMPANY}', '${COMPANY}', 1, 'api', 'u', 'e', 'r',
            IF(seq % 500 = 0, 'running', 'success'), 'started', ${TIME_OF_ROW_SQL}, IF(seq % 500 = 0, NULL, ${TIME_OF_ROW_SQL}),
            IF(seq % 500 = 0, NULL, ${TIME_OF_ROW_SQL}), seq % 100 = 1 FROM ${INSTANCE_SEQUENCE}`,
  `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, environment_id, version_id,
       version, trigger_kind, user_name, executor, request_id, status, accepted_as, accepted_at)
     SELECT UUID(), '${CANCELLED_ENVIRONMENT_ID}', 'P', '${COMPANY}', '${COMPANY}', '${CANCELLED_ENVIRONMENT_ID}', '${COMPANY}', 1, 'api', 'u', 'e', 'r',
            'queued', 'queued', NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO queue_cancellation (environment_id, cancel_before)
     SELECT IF(seq = 1, '${CANCELLED_ENVIRONMENT_ID}', UUID()), NOW(3) + INTERVAL 1 DAY FROM ${ROW_SEQUENCE}`,
  `INSERT INTO instance_input (instance_id, sealed) SELECT instance_id, 'x' FROM instance`,
  `INSERT INTO instance_values (instance_id, sealed) SELECT instance_id, 'x' FROM instance`,
  `INSERT INTO instance_log (instance_id, line, logged_at, severity, message, step, evidence)
     SELECT instance_id, seq, NOW(3), 'INFO', 'm', 's', NULL FROM instance JOIN seq_1_to_50
     WHERE has_log = 1`,
  `INSERT INTO instance_answer (instance_id, valid, code, body, recorded_at)
     SELECT instance_id, 1, 200, '{}', NOW(3) FROM instance`,
  `INSERT INTO instance_secret_answer (instance_id, masked, sealed, sealed_at)
     SELECT instance_id, '{}', 'x', accepted_at FROM instance`,
  `INSERT INTO evidence (evidence_id, instance_id, fence, process_id, company_id, media_type, bytes, complete, location, created_at)
     SELECT UUID(), UUID(), 1, '${PROCESS_ID}', IF(seq % 10 = 0, '${COMPANY}', UUID()), 'image/png', 8, seq % 10, IF(seq % 2, '', 's3://b/'),
            ${TIME_OF_ROW_SQL} FROM ${ROW_SEQUENCE}`,
  `INSERT INTO evidence_part (evidence_id, part, content) SELECT evidence_id, 1, 'x' FROM evidence`,
  `INSERT INTO idempotency_key (key_hash, instance_id, status, body_hash, created_at)
     SELECT UNHEX(SHA2(seq, 256)), UUID(), 'started', UNHEX(SHA2(seq, 256)), ${TIME_OF_ROW_SQL} FROM ${ROW_SEQUENCE}`,
  `INSERT INTO login_session (token_hash, account_id, created_at, expires_at)
     SELECT UNHEX(SHA2(seq, 256)), UUID(), ${TIME_OF_ROW_SQL}, ${TIME_OF_ROW_SQL} + INTERVAL 12 HOUR FROM ${ROW_SEQUENCE}`,
  `INSERT INTO agent_session (session_id, environment_id, router_id, agent_name, runtime_version, abilities, capacity, connected_at, lease_until, closed_at)
     SELECT UUID(), '${COMPANY}', 'r', 'a', '1', '[]', 1, ${TIME_OF_ROW_SQL}, ${TIME_OF_ROW_SQL} + INTERVAL 1 MINUTE, NULL FROM ${ROW_SEQUENCE}`,
  `INSERT INTO rate_allowance (subject, window_start, taken)
     SELECT CONCAT('s', seq), IF(seq <= ${OLD_ROW_COUNT}, 1, 1000), 1 FROM ${ROW_SEQUENCE}`,
  `INSERT INTO schedule (schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix, environment_id, active, next_at, created_at)
     SELECT IF(seq = 1, '${SCHEDULE}', UUID()), IF(seq <= 3, UUID(), '${PROCESS_ID}'), UUID(), 'u', 'e', 'n',
     '* * * * *', '{}', NULL, 1, NOW(3), NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO schedule_firing (schedule_id, nominal_at, instance_id, result, reason_code, reason_message, attempts, next_attempt_at, expires_at, settled_at)
     SELECT '${SCHEDULE}', NOW(3) - INTERVAL IF(seq <= ${OLD_ROW_COUNT}, 500, 0) DAY - INTERVAL seq MINUTE,
     UUID(), IF(seq % 2 = 0, 'pending', 'fired'), NULL, NULL, 1, IF(seq % 2 = 0, NOW(3), NULL), NULL, NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO schedule_backlog (schedule_id, from_at, until_at) SELECT UUID(), NOW(3), NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO origin (origin_id, process_id, name, response_mode, wait_seconds, mapping_saved, created_at)
     SELECT UUID(), IF(seq <= 3, UUID(), '${PROCESS_ID}'), 'o', 'imediata', 30, '[]', NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO origin_token (token_hash, origin_id, kind, sealed, created_at, revoked_at)
     SELECT UNHEX(SHA2(origin_id, 256)), origin_id, 'dev', NULL, NOW(3), NULL FROM origin`,
  `INSERT INTO capture (capture_id, origin_id, captured_at, bytes, truncated, body, query, headers)
     SELECT UUID(), origin_id, NOW(3), 1, 0, '', '', '' FROM origin`,
  `INSERT INTO waiting_call (process_id, holder, places, turn, lease_until)
     SELECT UUID(), UUID(), 1, 1, ${TIME_OF_ROW_SQL} + INTERVAL 1 HOUR FROM ${ROW_SEQUENCE}`,
  `INSERT INTO event_subscription (subscription_id, company_id, process_id, url, events, sealed_secret, enabled, created_at)
     SELECT IF(seq = 1, '${SUBSCRIPTION}', UUID()), IF(seq <= 20, '${COMPANY}', UUID()), IF(seq <= 3, UUID(), '${PROCESS_ID}'), 'https://r.example/', 'error',
     'x', 1, NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO event_delivery (subscription_id, instance_id, company_id, process_id, event, payload, status, next_attempt_at, created_at)
     SELECT '${SUBSCRIPTION}', UUID(), '${COMPANY}', IF(seq <= 3, UUID(), '${PROCESS_ID}'), 'instance.error', '{}',
            ELT(1 + seq % 3, 'waiting', 'delivered', 'dead'), IF(seq % 3 = 0, ${TIME_OF_ROW_SQL}, NULL), ${TIME_OF_ROW_SQL}
       FROM seq_1_to_${3 * ROW_COUNT}`,
  `INSERT INTO event_delivery (subscription_id, instance_id, company_id, process_id, event, payload, status, next_attempt_at, created_at)
     SELECT IF(seq <= ${OLD_ROW_COUNT}, '${CLOSED_SUBSCRIPTION}', UUID()), UUID(), '${COMPANY}', '${PROCESS_ID}', 'instance.error', '{}', 'waiting',
            NOW(3) + INTERVAL 1 DAY, NOW(3)
       FROM ${ROW_SEQUENCE}`,
];
const TABLES = [...new Set(FILL_STATEMENTS.map((statement) => statement.split(/\s+/)[2] ?? ''))];

/** A service with nothing but the parts that sweeps use. */
const createService = <Service extends object>(prototype: Service): Service =>
  Object.assign(Object.create(prototype), {
    store,
    rpc: { notify: () => {} },
    changes: { changed: () => {} },
    metrics: { lost: { inc: () => {} }, recordResult: () => {} },
    size: new BiteSize(),
  });

const createSessions = () => new SessionRepository(store, { LEASE_SECONDS: 15 });
/** Renews the leases of new sessions, none of which has more than a minute left. */
async function recordEndOfOutage(): Promise<void> {
  await store.write(
    'REPLACE INTO lease_health VALUES (1, UTC_TIMESTAMP(3) - INTERVAL 1 HOUR, UTC_TIMESTAMP(3) - INTERVAL 1 HOUR)',
  );
  const seconds = await new LeaseHealthRepository(store, { LEASE_SECONDS: 3_600 }).record();
  if (seconds === undefined) throw new Error('No outage');
}

const createMissedTimes = () => createService(MissedTimesService.prototype);

/** Returns a check that gives false at its first call and true from then on. */
function createFirstTimeCheck(): () => boolean {
  let asked = 0;
  return () => ++asked > 1;
}

async function leaseAndSave(tx: Store): Promise<void> {
  const [first, ...others] = await leasePendingFirings(tx, new Date(Date.now() + 60_000), new Date(), 50);
  if (!first) throw new Error('No pending firing');
  await saveAttemptResult(tx, first, { result: 'fired' }, 0);
  const accepted = others.map((firing) => firing.instance_id);
  await saveAccepted(tx, accepted, { result: 'fired', attempts: first.attempts });
}

async function leaseAndSaveDeliveries(): Promise<void> {
  const due = await dueDeliveries(store, [CLOSED_SUBSCRIPTION], 64);
  await deliveryTargets(store, [SUBSCRIPTION]);
  const [first, second] = await leaseDeliveries(store, due, 60_000);
  if (!first || !second) throw new Error('No due delivery');
  await saveDelivered(store, first, 200);
  await saveFailed(store, second, { status: 500, error: 'e', pauseMs: 1_000 });
  await disable(store, CLOSED_SUBSCRIPTION, 'failing');
}

async function lockAndMove(tx: Store): Promise<void> {
  const due = await lockDueSchedules(tx, new Date(), 100);
  await setNextTimes(tx, new Map(due.map((schedule) => [schedule.schedule_id, Date.now()])));
}

/** A page of ids. */
const RANGE = { after: PROCESS_ID, last: 'ffffffff', limit: MAX_BITE_ROWS };

async function removeOnePicture(tx: Store): Promise<void> {
  const [first] = await abandonedUploads(tx, 60, 1);
  if (!first || !(await deleteEvidence(tx, first))) throw new Error('No picture');
}

/** Rows: the periodic task, the rows that it finds, and a call of its work. */
const SWEEPS: [string, string, () => Promise<unknown>][] = [
  ['retention', 'idempotency keys', () => deleteKeys(store)],
  ['retention', 'sealed answers', () => deleteSealedAnswers(store)],
  ['retention', 'log lines', () => deleteLogs(store, 400)],
  ['retention', 'ended instances', () => deleteInstances(store, 400)],
  ['retention', 'overdue pictures', () => deletePictures(store, 400, async () => {})],
  ['retention', 'audit events of instances', () => deleteAuditEvents(store)],
  ['retention', 'deleted processes without events', () => removeDeletedProcesses(store, { after: '' })],
  ['retention', 'ledger entries', () => carryLedgers(store)],
  ['audit retention', 'audit events of management', () => deleteManagementEvents(store)],
  ['audit retention', 'processes that the previous release deleted', () => recordDeletedProcesses(store)],
  ['evidence', 'uploads without an end', () => abandonedUploads(store, 60, MAX_BITE_ROWS)],
  ['evidence', 'pictures of deleted instances', () => pageOfPictures(store, PROCESS_ID, MAX_BITE_ROWS)],
  ['evidence', 'pictures of a deleted process', () => picturesOfDeletedProcess(store, COMPANY, MAX_BITE_ROWS)],
  ['evidence', 'pictures that move to a bucket', () => completeInDatabase(store, PROCESS_ID, 20)],
  ['evidence', 'bytes in the database', () => new DatabaseStore(store).list(PROCESS_ID, MAX_BITE_ROWS)],
  ['evidence', 'rows of objects', () => locationsOf(store, [PROCESS_ID, COMPANY])],
  ['evidence', 'rows without an object', () => completeAt(store, 's3://b/', RANGE)],
  ['evidence', 'a picture', () => store.transaction((tx) => removeOnePicture(tx))],
  ['queue cancellations', 'queues to cancel', () => environmentsToCancel(store)],
  [
    'queue cancellations',
    'instances of a cancelled queue',
    () => cancelBatch(store, CANCELLED_ENVIRONMENT_ID, MAX_BITE_ROWS),
  ],
  ['queue cancellations', 'the end of a cancellation', () => endCancellation(store, PROCESS_ID)],
  ['queue counts', 'instances of a queue', () => countQueued(store, CANCELLED_ENVIRONMENT_ID, 1_000)],
  ['lost instances', 'lost instances', () => createService(LostInstanceService.prototype).sweep(15)],
  ['expired logins', 'expired logins', () => createService(LoginService.prototype).removeExpired()],
  ['old sessions', 'old agent sessions', () => createSessions().deleteOld()],
  ['observe lease health', 'leases that expired in an outage', recordEndOfOutage],
  ['renew leases', 'sessions of a replica', () => createSessions().renew([PROCESS_ID, COMPANY])],
  ['rate allowances', 'rate allowances', () => new AllowanceRepository(store, 60_000).deleteBefore(1_000)],
  ['due schedules', 'due schedules', () => store.transaction(lockAndMove)],
  ['pending firings', 'pending firings', () => store.transaction(leaseAndSave)],
  ['missed times', 'ranges of missed times', () => createMissedTimes().recordMissed(createFirstTimeCheck())],
  ['old firings', 'old firings', () => removeOldFirings(store, 30)],
  ['schedules of deleted processes', 'a schedule with its firings', () => removeSchedule(store, SCHEDULE)],
  ['schedules of deleted processes', 'orphaned schedules', () => sweepOfOrphanedSchedules(store).sweep()],
  [
    'schedules of deleted processes',
    'schedules of a process',
    () => removeSchedulesOfDeletedProcess(store, PROCESS_ID),
  ],
  ['origins of deleted processes', 'orphaned origins', () => sweepOfOrphanedOrigins(store).sweep()],
  ['origins of deleted processes', 'origins of a process', () => removeOrphanedOrigins(store, PROCESS_ID)],
  ['event deliveries', 'due deliveries', leaseAndSaveDeliveries],
  ['event deliveries', 'due deliveries of a failing address', () => deferDue(store, SUBSCRIPTION, 60_000)],
  ['event deliveries', 'deferred deliveries of an address that works again', () => endDeferral(store, SUBSCRIPTION)],
  [
    'old event deliveries',
    'deliveries above the bound of the backlog',
    () => cutBacklog(store, SUBSCRIPTION, 1_000, {}),
  ],
  [
    'event deliveries',
    'waiting deliveries of a closed subscription',
    () => endWaiting(store, CLOSED_SUBSCRIPTION, 'why'),
  ],
  ['old event deliveries', 'subscriptions with deliveries', () => nextSubscription(store, '')],
  ['old event deliveries', 'deliveries past their retention', () => deleteOldDeliveries(store, SUBSCRIPTION, {})],
  ['old event deliveries', 'deliveries of deleted processes', () => new OrphanedDeliveries(store).sweep()],
  [
    'event subscriptions of deleted processes',
    'orphaned subscriptions',
    () => sweepOfOrphanedSubscriptions(store).sweep(),
  ],
  [
    'event subscriptions of deleted processes',
    'subscriptions of a process',
    () => removeOrphanedSubscriptions(store, PROCESS_ID),
  ],
  ['expired permit leases', 'expired permit leases', () => createService(PermitService.prototype).removeExpired()],
  [
    '',
    'instances of a process in use',
    () => createService(InstanceQueryService.prototype).inUse({ processID: PROCESS_ID }),
  ],
];
test.each(SWEEPS)('%s: %s are found by an index and changed in bites', async (_task, _what, sweep) => {
  const statements = await recordStatements(sweep);
  expect(statements).not.toEqual([]);
  expect(await findUnindexedReads(store, statements)).toEqual([]);
  expect(statements.filter(({ affectedRows }) => affectedRows > MAX_BITE_ROWS)).toEqual([]);
});

test('a sweep for the schedules of deleted processes reads a page, and the following ones find all of them', async () => {
  const sweep = sweepOfOrphanedSchedules(store);
  await store.write(
    `INSERT INTO schedule (schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix, active, created_at)
     SELECT CONCAT(IF(seq = 1, '0', 'g'), seq), UUID(), '', 'u', 'e', 'n', '* * * * *', '{}', 0, NOW(3) FROM seq_1_to_2`,
  );
  const left = () =>
    store.row('SELECT 1 FROM schedule s LEFT JOIN process p USING (process_id) WHERE p.process_id IS NULL');
  const [first] = await recordStatements(() => sweep.sweep());
  expect(first?.sql).toContain('LIMIT 500');
  expect(await left()).toBeDefined();
  for (let page = 0; page * 500 < ROW_COUNT; page += 1) await sweep.sweep();
  expect(await left()).toBeUndefined();
});

/**
 * Periodic tasks that write nothing to the database. They read by ids that the replica holds in memory, or seldom and
 * without a lock.
 */
const READING_TASKS = [
  'check environments',
  'check lease clocks',
  'credentials of event streams',
  'database clock',
  'event gauges',
  'execution gauges',
  'firing gauges',
  'poll queues',
  'reconcile desired states',
];

test('every periodic task is in the list above or only reads', async () => {
  const files = await Promise.all(
    ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'].map((pattern) => filesMatching(pattern)),
  );
  const tasks = files
    .flat()
    .flatMap((text) => Array.from(text.matchAll(/\b(?:tasks\.every|rounds\.add)\(\s*'([^']+)'/g), ([, name]) => name));
  const listed = new Set([...SWEEPS.map(([task]) => task), ...READING_TASKS].filter(Boolean));
  expect(new Set(tasks)).toEqual(listed);
});

async function filesMatching(pattern: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const path of glob(pattern)) if (!path.endsWith('.test.ts')) texts.push(await readFile(path, 'utf8'));
  return texts;
}
