import { execution, SUBSCRIBED_STATUSES, type Outcome } from '@batuta/contracts';
import { insertSubscription, type SubscriptionFields } from '../../../../test/support/event-subscriptions';
import { waitUntil } from '../../../../test/support/wait-until';
import {
  claimOnce,
  endReport,
  createQueuedInstance,
  requestControl,
  requestGrant,
  createRunningInstance,
  sendReport,
  type ClaimedInstance,
} from '../../test/instances';
import { countOf, startRequest, startWorld, type ExecutionWorld } from '../../test/world';
import { LostInstanceService } from '../delivery/lost-instance.service';
import { writeEndEvents } from './end-events';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const subscribe = (companyID: string, fields?: SubscriptionFields) =>
  insertSubscription(world.store, companyID, fields);

interface DeliveryRow {
  subscription_id: string;
  instance_id: string;
  event: string;
  status: string;
  payload: string;
  due: number;
}

const deliveriesOf = (instanceID: string) =>
  world.store.rows<DeliveryRow>(
    `SELECT subscription_id, instance_id, event, status, payload, next_attempt_at <= UTC_TIMESTAMP(3) AS due
       FROM event_delivery WHERE instance_id = ? ORDER BY subscription_id`,
    [instanceID],
  );

/** Runs the sweep once; an offered instance counts as lost whatever the age of its claim. */
const sweepLost = () => {
  const metrics = { lostInstances: { inc: () => {} } };
  const service: LostInstanceService = Object.assign(Object.create(LostInstanceService.prototype), {
    store: world.store,
    rpc: world.rpc,
    changes: { notify: () => {}, notifyEnd: () => {} },
    metrics,
  });
  return service.sweep(0);
};

test.each<[Outcome, string]>([
  ['FINALIZED', 'success'],
  ['TERMINATED', 'terminated'],
  ['ERROR', 'error'],
  ['STEP_LIMIT_REACHED', 'error'],
  ['STOPPED', 'stopped'],
])('the end %s writes one delivery of instance.%s to each subscription that asks for it', async (outcome, status) => {
  const at = await createRunningInstance(world);
  const asking = [await subscribe(at.companyID), await subscribe(at.companyID, { events: status })];
  const others = SUBSCRIBED_STATUSES.filter((other) => other !== status).join(',');
  await subscribe(at.companyID, { events: others });
  await sendReport(world, at, 1, endReport(outcome));
  const rows = await deliveriesOf(at.work.instanceID);
  expect(rows.map((row) => row.subscription_id)).toEqual(asking.toSorted());
  for (const row of rows) expect(row).toMatchObject({ event: `instance.${status}`, status: 'waiting', due: 1 });
});

test('the data of an event tell who, what and when, and have neither values nor messages of log lines', async () => {
  const at = await createRunningInstance(world);
  await subscribe(at.companyID);
  const end = { outcome: 'ERROR' as const, errorStep: 'pagar', errorMessage: `“falhou” 💥\n${'x'.repeat(3_000)}` };
  await sendReport(world, at, 1, { end });
  const [row] = await deliveriesOf(at.work.instanceID);
  expect(JSON.parse(row?.payload ?? '')).toEqual({
    instanceID: at.work.instanceID,
    processID: at.processID,
    processName: 'P',
    companyID: at.companyID,
    status: 'error',
    outcome: 'ERROR',
    userName: 'erp',
    environmentID: at.environmentID,
    trigger: 'api',
    acceptedAt: expect.stringMatching(ISO_TIME),
    startedAt: expect.stringMatching(ISO_TIME),
    finishedAt: expect.stringMatching(ISO_TIME),
    errorStep: 'pagar',
    errorMessage: Array.from(end.errorMessage).slice(0, 2_000).join(''),
    retryOf: null,
  });
});

test('a subscription of a process gets the ends of that process only, and nobody gets those of another company', async () => {
  const [at, other] = [await createRunningInstance(world), await createRunningInstance(world)];
  const own = await subscribe(at.companyID, { processID: at.processID });
  await subscribe(at.companyID, { processID: other.processID });
  await subscribe(other.companyID);
  await sendReport(world, at, 1, endReport('FINALIZED'));
  expect((await deliveriesOf(at.work.instanceID)).map((row) => row.subscription_id)).toEqual([own]);
});

test('a disabled subscription gets nothing', async () => {
  const at = await createRunningInstance(world);
  await subscribe(at.companyID, { enabled: false });
  await sendReport(world, at, 1, endReport('FINALIZED'));
  expect(await deliveriesOf(at.work.instanceID)).toEqual([]);
});

test('the end of a debug run writes no delivery', async () => {
  const at = await createQueuedInstance(world);
  await subscribe(at.companyID);
  const request = startRequest(at);
  await world.rpc.call(execution.start, { ...request, trigger: { ...request.trigger, kind: 'debug' } });
  await requestControl(world, at, request.instanceID, 'stop');
  await requestControl(world, at, at.instanceID, 'stop');
  expect(await deliveriesOf(request.instanceID)).toEqual([]);
  expect(await deliveriesOf(at.instanceID)).toHaveLength(1);
});

test('an end that rolls back leaves no delivery', async () => {
  const at = await createRunningInstance(world);
  await subscribe(at.companyID);
  const ending = world.store.transaction(async (tx) => {
    tx.atCommit("UPDATE instance SET status = 'success' WHERE instance_id = ?", [at.work.instanceID]);
    writeEndEvents(tx, [at.work.instanceID]);
    tx.atCommit('INSERT INTO no_such_table VALUES (1)');
  });
  await expect(ending).rejects.toThrow(/no_such_table/);
  expect(await deliveriesOf(at.work.instanceID)).toEqual([]);
  expect(await countOf(world.store, 'instance', "instance_id = ? AND status = 'running'", [at.work.instanceID])).toBe(
    1,
  );
});

test('a repeated report of the end writes no second delivery', async () => {
  const at = await createRunningInstance(world);
  await subscribe(at.companyID);
  await sendReport(world, at, 1, endReport('FINALIZED'));
  await sendReport(world, at, 1, endReport('FINALIZED'));
  expect(await deliveriesOf(at.work.instanceID)).toHaveLength(1);
});

test('an instance whose agent is lost, and one that is stopped in the queue, write their deliveries', async () => {
  const lost = await createRunningInstance(world);
  await subscribe(lost.companyID);
  await world.store.write(
    'UPDATE agent_session SET lease_until = UTC_TIMESTAMP(3) - INTERVAL 1 DAY WHERE session_id = ?',
    [lost.sessionID],
  );
  await sweepLost();
  expect(await deliveriesOf(lost.work.instanceID)).toMatchObject([{ event: 'instance.error' }]);
  const queued = await createQueuedInstance(world);
  await subscribe(queued.companyID);
  await requestControl(world, queued, queued.instanceID, 'stop');
  expect(await deliveriesOf(queued.instanceID)).toMatchObject([{ event: 'instance.stopped' }]);
});

test('a cancelled queue writes the deliveries of all its instances', async () => {
  const at = await createQueuedInstance(world, { cancelQueue: true });
  await subscribe(at.companyID);
  const [work] = await claimOnce(world, at);
  if (!work) throw new Error('Nothing was claimed');
  const running: ClaimedInstance = { ...at, work };
  await requestGrant(world, running);
  const queued = [startRequest(at), startRequest(at), startRequest(at)];
  for (const request of queued) await world.rpc.call(execution.start, request);
  await sendReport(world, running, 1, endReport('ERROR'));
  const ids = queued.map(({ instanceID }) => instanceID);
  await waitUntil(
    'the queue is cancelled',
    async () => (await countOf(world.store, 'instance', "instance_id IN (?) AND status = 'stopped'", [ids])) === 3,
  );
  expect(await countOf(world.store, 'event_delivery', "instance_id IN (?) AND event = 'instance.stopped'", [ids])).toBe(
    3,
  );
});

test('without subscriptions the statement reads one row of each table by an index', async () => {
  const at = await createRunningInstance(world);
  const statements: [string, unknown[]][] = [];
  await world.store.transaction(async (tx) => {
    const recorder: Pick<typeof tx, 'atCommit'> = {
      atCommit: (sql, parameters) => statements.push([sql, parameters ?? []]),
    };
    writeEndEvents(Object.assign(Object.create(tx), recorder), [at.work.instanceID]);
  });
  const [[sql, parameters] = ['', []]] = statements;
  const plan = await world.store.rows<{ table: string; key: string; rows: number }>(`EXPLAIN ${sql}`, parameters);
  expect(plan.map(({ table, key }) => `${table} ${key}`).toSorted()).toEqual([
    'i PRIMARY',
    's event_subscription_company',
  ]);
});
