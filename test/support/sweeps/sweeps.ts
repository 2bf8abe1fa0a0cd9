import { BiteSize, type Store } from '@batuta/database';
import { AllowanceRepository } from '@batuta/rate';
import {
  deleteManagementEvents,
  recordDeletedProcesses,
} from '../../../apps/console/src/audit/audit-retention.repository';
import { LoginService } from '../../../apps/console/src/sessions/login.service';
import {
  abandonedUploads,
  completePicturesAt,
  completePicturesInDatabase,
  locationsOf,
  pageOfPictures,
  picturesOfDeletedProcess,
} from '../../../apps/execution/src/evidence/evidence-list.repository';
import { deleteEvidence } from '../../../apps/execution/src/evidence/evidence.repository';
import { RemovalFaults } from '../../../apps/execution/src/evidence/removal-faults';
import { DatabaseStore } from '../../../apps/execution/src/evidence/stores/database-store';
import { LostInstanceService } from '../../../apps/execution/src/delivery/lost-instance.service';
import { InstanceQueryService } from '../../../apps/execution/src/instances/instance-query.service';
import { addMissedShareEvents } from '../../../apps/execution/src/instances/missed-share-events';
import { countAhead, countQueued } from '../../../apps/execution/src/instances/instance.repository';
import {
  cancelBite,
  endCancellation,
  environmentsWithCancellation,
} from '../../../apps/execution/src/queue-cancellation/queue-cancellation.repository';
import {
  carryLedgers,
  deleteAuditEvents,
  removeDeletedProcesses,
} from '../../../apps/execution/src/retention/plan-retention.repository';
import {
  deleteInstances,
  deleteIdempotencyKeys,
  deleteLogsAndValues,
  deletePictures,
  deleteSealedAnswers,
} from '../../../apps/execution/src/retention/retention.repository';
import { LeaseHealthRepository } from '../../../apps/router/src/leases/lease-health.repository';
import { SessionRepository } from '../../../apps/router/src/sessions/session.repository';
import { lockDueSchedules, setNextTimes } from '../../../apps/schedule/src/firing/due-schedule.repository';
import {
  leasePendingFirings,
  removeOldFirings,
  saveAccepted,
  saveAttemptResult,
} from '../../../apps/schedule/src/firing/firing.repository';
import { MissedTimesService } from '../../../apps/schedule/src/firing/missed-times.service';
import { NextTimeSweeps } from '../../../apps/schedule/src/firing/next-time.sweeps';
import { NominalClock } from '../../../apps/schedule/src/nominal-clock';
import {
  removeSchedule,
  removeSchedulesOfDeletedProcess,
  createOrphanedScheduleSweep,
} from '../../../apps/schedule/src/schedules/schedule-removal';
import {
  deleteOldDeliveries,
  endExcessWaiting,
  findNextSubscription,
  OrphanedDeliverySweep,
} from '../../../apps/webhook/src/event-deliveries/delivery-retention.repository';
import { deferDue, endDeferral } from '../../../apps/webhook/src/event-deliveries/deferral.repository';
import {
  findDeliveryTargets,
  disableSubscription,
  findDueDeliveries,
  endWaiting,
  leaseDeliveries,
  saveDelivered,
  saveFailed,
} from '../../../apps/webhook/src/event-deliveries/delivery.repository';
import {
  removeOrphanedSubscriptions,
  createOrphanedSubscriptionSweep,
} from '../../../apps/webhook/src/event-subscriptions/orphaned-subscriptions';
import { removeOrphanedOrigins, createOrphanedOriginSweep } from '../../../apps/webhook/src/origins/orphaned-origins';
import { PermitService } from '../../../apps/webhook/src/permits/permit.service';
import { CANCELLED_ENVIRONMENT_ID, REMOVED_SUBSCRIPTION, COMPANY, PROCESS_ID, SCHEDULE, SUBSCRIPTION } from './rows';

/** Maximum number of rows of one bite. */
export const MAX_BITE_ROWS = 500;

/** An instance of a service class without a call of its constructor: it has only the parts that its sweep uses. */
const createService = <Service extends object>(store: Store, prototype: Service): Service =>
  Object.assign(Object.create(prototype), {
    store,
    rpc: { notify: () => {} },
    changes: { notify: () => {}, notifyEnd: () => {} },
    metrics: { lostInstances: { inc: () => {} }, recordResult: () => {} },
    size: new BiteSize(),
  });

const createSessions = (store: Store) => new SessionRepository(store, { LEASE_SECONDS: 15 });

/**
 * Records the end of an outage with leases of an hour, so that it renews the leases of the sessions that the fill has
 * inserted, which end within a minute.
 */
async function recordEndOfOutage(store: Store): Promise<void> {
  await store.write(
    'REPLACE INTO lease_health VALUES (1, UTC_TIMESTAMP(3) - INTERVAL 1 HOUR, UTC_TIMESTAMP(3) - INTERVAL 1 HOUR)',
  );
  const seconds = await new LeaseHealthRepository(store, { LEASE_SECONDS: 3_600 }).record();
  if (seconds === undefined) throw new Error('No outage');
}

/** Makes an `isStopping` function that returns false once and then true, so that the sweep does one bite. */
function createOneBiteStop(): () => boolean {
  let asked = 0;
  return () => ++asked > 1;
}

async function leaseAndSave(store: Store): Promise<void> {
  const now = new Date(Date.now() + 60_000);
  const [first, ...others] = await store.transaction((tx) => leasePendingFirings(tx, now, new Date(), 50));
  if (!first) throw new Error('No pending firing');
  await saveAttemptResult(store, first, { result: 'fired' }, 0);
  const accepted = others.map((firing) => firing.instance_id);
  await saveAccepted(store, accepted, { result: 'fired', attempts: first.attempts });
}

async function leaseAndSaveDeliveries(store: Store): Promise<void> {
  const due = await findDueDeliveries(store, [REMOVED_SUBSCRIPTION], 64);
  await findDeliveryTargets(store, [SUBSCRIPTION]);
  const [first, second] = await leaseDeliveries(store, due, 60_000);
  if (!first || !second) throw new Error('No due delivery');
  await saveDelivered(store, first, 200);
  await saveFailed(store, second, {
    url: 'https://receiver.example',
    status: 500,
    error: 'e',
    pauseMs: 1_000,
    isGone: false,
  });
  await disableSubscription(store, REMOVED_SUBSCRIPTION, 'failing');
}

async function lockAndMove(tx: Store): Promise<void> {
  const due = await lockDueSchedules(tx, new Date(), 100);
  await setNextTimes(tx, new Map(due.map((schedule) => [schedule.schedule_id, Date.now()])));
}

/** Sweeps with a clock that is an hour behind, so that the next times of all schedules are later than they should be. */
async function correctNextTimes(store: Store): Promise<void> {
  const clock = new NominalClock(() => 'UTC_TIMESTAMP(3) - INTERVAL 1 HOUR');
  const sweeps = createService(store, NextTimeSweeps.prototype);
  Object.assign(sweeps, { clock, position: '' });
  if ((await sweeps.sweep()) === 0) throw new Error('No next time was corrected');
}

const LAST_IN_QUEUE = { environment_id: CANCELLED_ENVIRONMENT_ID, accepted_at: new Date(), instance_id: PROCESS_ID };

/** The bounds of a page of ids. */
const RANGE = { after: PROCESS_ID, last: 'ffffffff', limit: MAX_BITE_ROWS };

async function removeOnePicture(tx: Store): Promise<void> {
  const [first] = await abandonedUploads(tx, 60, 1);
  if (!first || !(await deleteEvidence(tx, first))) throw new Error('No picture');
}

/** Work of periodic tasks whose statements must read by an index. `task` is empty for a query of another kind that must do so. */
export const SWEEPS: [task: string, rows: string, run: (store: Store) => Promise<unknown>][] = [
  ['retention', 'idempotency keys', (store) => deleteIdempotencyKeys(store)],
  ['retention', 'sealed answers', (store) => deleteSealedAnswers(store)],
  ['retention', 'log lines', (store) => deleteLogsAndValues(store)],
  ['retention', 'ended instances', (store) => deleteInstances(store, 400)],
  ['retention', 'overdue pictures', (store) => deletePictures(store, async () => {}, new RemovalFaults())],
  ['retention', 'audit events of instances', (store) => deleteAuditEvents(store)],
  ['missed share events', 'events that the previous release wrote', (store) => addMissedShareEvents(store)],
  ['retention', 'deleted processes without events', (store) => removeDeletedProcesses(store, { after: '' })],
  ['retention', 'ledger entries', (store) => carryLedgers(store)],
  ['audit retention', 'audit events of management', (store) => deleteManagementEvents(store)],
  ['audit retention', 'processes that the previous release deleted', (store) => recordDeletedProcesses(store)],
  ['evidence', 'uploads without an end', (store) => abandonedUploads(store, 60, MAX_BITE_ROWS)],
  ['evidence', 'pictures of deleted instances', (store) => pageOfPictures(store, PROCESS_ID, MAX_BITE_ROWS)],
  ['evidence', 'pictures of a deleted process', (store) => picturesOfDeletedProcess(store, COMPANY, MAX_BITE_ROWS)],
  ['evidence', 'pictures that move to a bucket', (store) => completePicturesInDatabase(store, PROCESS_ID, 20)],
  ['evidence', 'bytes in the database', (store) => new DatabaseStore(store).list(PROCESS_ID, MAX_BITE_ROWS)],
  ['evidence', 'rows of objects', (store) => locationsOf(store, [PROCESS_ID, COMPANY])],
  ['evidence', 'rows without an object', (store) => completePicturesAt(store, 's3://b/', RANGE)],
  ['evidence', 'a picture', (store) => store.transaction((tx) => removeOnePicture(tx))],
  ['queue cancellations', 'queues to cancel', (store) => environmentsWithCancellation(store)],
  [
    'queue cancellations',
    'instances of a cancelled queue',
    (store) => cancelBite(store, CANCELLED_ENVIRONMENT_ID, MAX_BITE_ROWS),
  ],
  ['queue cancellations', 'the end of a cancellation', (store) => endCancellation(store, PROCESS_ID)],
  ['queue counts', 'instances of a queue', (store) => countQueued(store, CANCELLED_ENVIRONMENT_ID, 1_000)],
  ['', 'instances before one in a queue', (store) => countAhead(store, LAST_IN_QUEUE, 1_000)],
  ['lost instances', 'lost instances', (store) => createService(store, LostInstanceService.prototype).sweep(15)],
  ['expired logins', 'expired logins', (store) => createService(store, LoginService.prototype).removeExpiredSessions()],
  ['old sessions', 'old agent sessions', (store) => createSessions(store).deleteOld()],
  ['observe lease health', 'leases that expired in an outage', recordEndOfOutage],
  ['renew leases', 'sessions of a replica', (store) => createSessions(store).renew([PROCESS_ID, COMPANY])],
  ['rate allowances', 'rate allowances', (store) => new AllowanceRepository(store, 60_000).deleteWindowsBefore(1_000)],
  ['due schedules', 'due schedules', (store) => store.transaction(lockAndMove)],
  ['pending firings', 'pending firings', leaseAndSave],
  [
    'missed times',
    'ranges of missed times',
    (store) => createService(store, MissedTimesService.prototype).recordMissed(createOneBiteStop()),
  ],
  ['next times', 'next times of another time zone', correctNextTimes],
  ['old firings', 'old firings', (store) => removeOldFirings(store, 30)],
  ['schedules of deleted processes', 'a schedule with its firings', (store) => removeSchedule(store, SCHEDULE)],
  ['schedules of deleted processes', 'orphaned schedules', (store) => createOrphanedScheduleSweep(store).sweep()],
  [
    'schedules of deleted processes',
    'schedules of a process',
    (store) => removeSchedulesOfDeletedProcess(store, PROCESS_ID),
  ],
  ['origins of deleted processes', 'orphaned origins', (store) => createOrphanedOriginSweep(store).sweep()],
  ['origins of deleted processes', 'origins of a process', (store) => removeOrphanedOrigins(store, PROCESS_ID)],
  ['event deliveries', 'due deliveries', leaseAndSaveDeliveries],
  ['event deliveries', 'due deliveries of a failing address', (store) => deferDue(store, SUBSCRIPTION, 60_000)],
  [
    'event deliveries',
    'deferred deliveries of an address that works again',
    (store) => endDeferral(store, SUBSCRIPTION),
  ],
  [
    'old event deliveries',
    'deliveries above the bound of the backlog',
    (store) => endExcessWaiting(store, SUBSCRIPTION, 1_000, {}),
  ],
  [
    'event deliveries',
    'waiting deliveries of a removed subscription',
    (store) => endWaiting(store, REMOVED_SUBSCRIPTION),
  ],
  ['old event deliveries', 'subscriptions with deliveries', (store) => findNextSubscription(store, '')],
  ['old event deliveries', 'deliveries past their retention', (store) => deleteOldDeliveries(store, SUBSCRIPTION, {})],
  ['old event deliveries', 'deliveries of deleted processes', (store) => new OrphanedDeliverySweep(store).sweep()],
  [
    'event subscriptions of deleted processes',
    'orphaned subscriptions',
    (store) => createOrphanedSubscriptionSweep(store).sweep(),
  ],
  [
    'event subscriptions of deleted processes',
    'subscriptions of a process',
    (store) => removeOrphanedSubscriptions(store, PROCESS_ID),
  ],
  [
    'expired permit leases',
    'expired permit leases',
    (store) => createService(store, PermitService.prototype).removeExpired(),
  ],
  [
    '',
    'instances of a process in use',
    (store) => createService(store, InstanceQueryService.prototype).countActive({ processID: PROCESS_ID }),
  ],
];
