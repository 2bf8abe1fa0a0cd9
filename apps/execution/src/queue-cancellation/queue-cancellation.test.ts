import { execution } from '@batuta/contracts';
import { recordStatements, findUnindexedReads } from '../../../../test/support/query-plans';
import { claimOnce, endReport, sendReport, createRunningInstance, type ClaimedInstance } from '../../test/instances';
import { countOf, creditsOf, startRequest, startWorld, type TestProcess, type ExecutionWorld } from '../../test/world';
import { InstanceChangeNotifier } from '../instances/instance-change-notifier';
import { countAhead, countQueued, lockInstance, lockOldestWithInput } from '../instances/instance.repository';
import { QueueCancellationService } from './queue-cancellation.service';

const QUEUED_COUNT = 2_000;
/** Number of instances that the first bite takes (`BiteSize`). */
const FIRST_BITE = 50;

const sweep = Reflect.get(QueueCancellationService.prototype, 'sweep');

let world: ExecutionWorld;
beforeAll(async () => {
  // The periodic sweeps are disabled; the tests call the real one.
  jest.spyOn(QueueCancellationService.prototype, 'sweep').mockResolvedValue();
  world = await startWorld();
});
afterAll(() => world?.close());

/** Runs the sweep of a replica. `onChange` runs after each commit and may throw, as if the replica were killed there. */
function sweepOnce(onChange = () => {}): Promise<void> {
  const changes = new InstanceChangeNotifier(world.rpc);
  jest.spyOn(changes, 'notify').mockImplementation(onChange);
  const logger = Object.assign(Object.create(null), { warn: () => {} });
  return sweep.call(new QueueCancellationService(world.store, world.rpc, changes, logger));
}

function throwKilled(): void {
  throw new Error('killed');
}

const countWithStatus = ({ environmentID }: TestProcess, status: string) =>
  countOf(world.store, 'instance', 'environment_id = ? AND status = ?', [environmentID, status]);
const statusOf = async (instanceID: string) =>
  (await world.store.row<{ status: string }>('SELECT status FROM instance WHERE instance_id = ?', [instanceID]))
    ?.status;
const start = async (at: TestProcess) => (await world.rpc.call(execution.start, startRequest(at))).instanceID;

/** A running instance in front of QUEUED_COUNT queued ones. */
async function makeLongQueue(): Promise<ClaimedInstance> {
  const at = await createRunningInstance(world, { cancelQueue: true, credits: 10 });
  const first = await start(at);
  const columns = `process_id, process_name, owner_account_id, company_id, environment_id, version_id, version, trigger_kind,
    user_name, executor, request_id, status, accepted_as, accepted_at`;
  await world.store.write(
    `INSERT INTO instance (instance_id, ${columns}) SELECT UUID(), ${columns}
       FROM (SELECT * FROM instance WHERE instance_id = ?) one JOIN seq_1_to_${QUEUED_COUNT - 1}`,
    [first],
  );
  await world.store.write(
    `INSERT IGNORE INTO instance_input (instance_id, sealed) SELECT i.instance_id, n.sealed FROM instance i JOIN instance_input n
      WHERE i.environment_id = ? AND i.status = 'queued' AND n.instance_id = ?`,
    [at.environmentID, first],
  );
  await world.store.rows('ANALYZE TABLE instance, instance_input, audit_event');
  return at;
}

const CANCELLED_SQL =
  "executor = 'cancelQueueOnException' AND instance_id IN (SELECT instance_id FROM instance WHERE environment_id = ?)";

test('an end in error hides a long queue from every claim by writing one row, and instances that start later are claimed', async () => {
  const at = await makeLongQueue();
  const statements = await recordStatements(() => sendReport(world, at, 1, endReport('ERROR')));
  const writes = statements.filter(({ sql }) => !sql.startsWith('SELECT'));
  expect(writes.filter(({ sql }) => sql.includes('queue_cancellation'))).toHaveLength(1);
  expect(await countWithStatus(at, 'queued')).toBe(QUEUED_COUNT);
  expect(await claimOnce(world, at, 50)).toEqual([]);
  expect(await countQueued(world.store, at.environmentID, QUEUED_COUNT)).toBe(0);

  const later = await start(at);
  const row = await world.store.transaction((tx) => lockInstance(tx, later));
  expect(row && (await countAhead(world.store, row, 10))).toBe(0);
  expect((await claimOnce(world, at, 50)).map(({ instanceID }) => instanceID)).toEqual([later]);
  await sweepOnce();
  expect([await countWithStatus(at, 'stopped'), await countWithStatus(at, 'unknown')]).toEqual([QUEUED_COUNT, 1]);
});

test('a debug run that ends in error cancels no instance of the queue', async () => {
  const at = await createRunningInstance(world, { cancelQueue: true, credits: 10 });
  await world.store.write("UPDATE instance SET trigger_kind = 'debug' WHERE instance_id = ?", [at.work.instanceID]);
  const queued = await start(at);
  await sendReport(world, at, 1, endReport('ERROR'));
  expect(await countOf(world.store, 'queue_cancellation', 'environment_id = ?', [at.environmentID])).toBe(0);
  expect((await claimOnce(world, at)).map(({ instanceID }) => instanceID)).toEqual([queued]);
});

test('an instance that is being cancelled does not count as a use of its process and environment, and one that starts later does', async () => {
  const at = await createRunningInstance(world, { cancelQueue: true, credits: 10 });
  await start(at);
  const active = async () => [
    await world.rpc.call(execution.inUse, { processID: at.processID }),
    await world.rpc.call(execution.inUse, { environmentID: at.environmentID }),
  ];
  expect(await active()).toEqual([{ active: 2 }, { active: 2 }]);
  await sendReport(world, at, 1, endReport('ERROR'));
  expect(await countWithStatus(at, 'queued')).toBe(1);
  expect(await active()).toEqual([{ active: 0 }, { active: 0 }]);
  await start(at);
  expect(await active()).toEqual([{ active: 1 }, { active: 1 }]);
  await sweepOnce();
});

test('a long queue is cancelled in bites, also when a replica is killed and another one continues, or two replicas do it at the same time', async () => {
  const at = await makeLongQueue();
  const before = await creditsOf(world.store, at.companyID);
  await sendReport(world, at, 1, endReport('ERROR'));
  const latest = await start(at);
  const statements = await recordStatements(() => sweepOnce(throwKilled));
  expect(await countWithStatus(at, 'stopped')).toBe(FIRST_BITE);
  for (const { sql, parameters } of statements) {
    for (const list of parameters.filter(Array.isArray)) expect([sql, list.length]).toEqual([sql, FIRST_BITE]);
  }

  await Promise.all([sweepOnce(), sweepOnce()]);
  await sweepOnce();
  expect([await countWithStatus(at, 'stopped'), await countWithStatus(at, 'queued')]).toEqual([QUEUED_COUNT, 1]);
  expect(await countOf(world.store, 'audit_event', CANCELLED_SQL, [at.environmentID])).toBe(QUEUED_COUNT);
  expect(await countOf(world.store, 'credit_entry', "company_id = ? AND kind = 'refund'", [at.companyID])).toBe(
    QUEUED_COUNT,
  );
  const after = before.balance + QUEUED_COUNT - 1;
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: after, ledger: after });
  expect(await countOf(world.store, 'queue_cancellation', 'environment_id = ?', [at.environmentID])).toBe(0);
  expect(await countOf(world.store, 'instance_input', 'instance_id = ?', [latest])).toBe(1);
  expect((await claimOnce(world, at, 50)).map(({ instanceID }) => instanceID)).toEqual([latest]);
});

test('a cancellation skips an instance that another transaction has locked, and ends that instance afterwards', async () => {
  const at = await createRunningInstance(world, { cancelQueue: true, credits: 10 });
  const [held, free] = [await start(at), await start(at)];
  await sendReport(world, at, 1, endReport('ERROR'));
  await world.store.transaction(async (tx) => {
    await lockInstance(tx, held);
    await sweepOnce();
    expect(await statusOf(free)).toBe('stopped');
  });
  expect(await statusOf(held)).toBe('queued');
  expect(await claimOnce(world, at, 50)).toEqual([]);
  await sweepOnce();
  expect(await statusOf(held)).toBe('stopped');
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 9, ledger: 9 });
});

test('a claim reads no instance of a long cancelled queue, and every statement uses an index', async () => {
  const at = await makeLongQueue();
  const statements = await recordStatements(() => sendReport(world, at, 1, endReport('ERROR')));
  await start(at);
  const read = await world.store.transaction(async (tx) => {
    const readRows = async () =>
      Number((await tx.row<{ Value: string }>("SHOW SESSION STATUS LIKE 'Handler_read_next'"))?.Value);
    const before = await readRows();
    expect(await lockOldestWithInput(tx, at.environmentID, 50)).toHaveLength(1);
    return (await readRows()) - before;
  });
  expect(read).toBeLessThan(50);
  statements.push(
    ...(await recordStatements(async () => [await claimOnce(world, at, 50), await sweepOnce(throwKilled)])),
  );
  expect(statements.some(({ sql }) => sql.includes('AS sealed FROM instance FORCE INDEX (instance_queue)'))).toBe(true);
  expect(await findUnindexedReads(world.store, statements)).toEqual([]);
  await sweepOnce();
});
