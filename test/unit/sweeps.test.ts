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
import { countAhead, countQueued } from '../../apps/execution/src/instances/instance.repository';
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
import {
  CANCELLED_ENVIRONMENT_ID,
  CLOSED_SUBSCRIPTION,
  COMPANY,
  fillTables,
  PROCESS_ID,
  ROW_COUNT,
  SCHEDULE,
  SUBSCRIPTION,
} from '../support/sweep-rows';

// Every sweep that deletes or recovers rows must find them by an index, and lock few at a time.

/** The most rows of one bite. */
const MAX_BITE_ROWS = 500;
let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await createMigratedDatabase();
  // The time limit is long because the statements that fill the tables write thousands of rows.
  store = await openStore({ url: database.url, pool: 2, statementMs: 60_000 });
  await fillTables(store);
});
afterAll(async () => {
  await store?.close();
  await database?.drop();
});

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
  await saveFailed(store, second, { status: 500, error: 'e', pauseMs: 1_000, isGone: false });
  await disable(store, CLOSED_SUBSCRIPTION, 'failing');
}

async function lockAndMove(tx: Store): Promise<void> {
  const due = await lockDueSchedules(tx, new Date(), 100);
  await setNextTimes(tx, new Map(due.map((schedule) => [schedule.schedule_id, Date.now()])));
}

const LAST_IN_QUEUE = { environment_id: CANCELLED_ENVIRONMENT_ID, accepted_at: new Date(), instance_id: PROCESS_ID };

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
  ['', 'instances before one in a queue', () => countAhead(store, LAST_IN_QUEUE, 1_000)],
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
  'expiry of waiting callers',
  'firing gauges',
  'permits of waiting calls',
  'poll for waiting callers',
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
