import { execution } from '@batuta/contracts';
import { statementsOf, unindexedReads } from '../../../../test/support/plans';
import { claimOnce, end, report, runningInstance, type ClaimedInstance } from '../../test/instances';
import { countOf, creditsOf, startRequest, startWorld, type Registered, type World } from '../../test/world';
import { InstanceChangeNotifier } from '../instances/instance-change-notifier';
import { countAhead, countQueued, lockInstance, lockOldestWithInput } from '../instances/instance.repository';
import { QueueCancellationService } from './queue-cancellation.service';

const QUEUED = 2_000;
/** Number of instances that the first bite takes (`BiteSize`). */
const FIRST_BITE = 50;

const sweep = Reflect.get(QueueCancellationService.prototype, 'sweep');

let world: World;
beforeAll(async () => {
  // The periodic sweeps do nothing: the tests cancel in place of the replicas.
  jest.spyOn(QueueCancellationService.prototype, 'sweep').mockResolvedValue();
  world = await startWorld();
});
afterAll(() => world?.close());

/** A replica of the service sweeps; `onChange` may throw, as if the replica were killed right after a commit. */
function sweepOnce(onChange = () => {}): Promise<void> {
  const changes = new InstanceChangeNotifier(world.rpc);
  jest.spyOn(changes, 'changed').mockImplementation(onChange);
  const logger = Object.assign(Object.create(null), { warn: () => {} });
  return sweep.call(new QueueCancellationService(world.store, world.rpc, changes, logger));
}

function killed(): void {
  throw new Error('killed');
}

const withStatus = ({ environmentID }: Registered, status: string) =>
  countOf(world.store, 'instance', 'environment_id = ? AND status = ?', [environmentID, status]);
const statusOf = async (instanceID: string) =>
  (await world.store.row<{ status: string }>('SELECT status FROM instance WHERE instance_id = ?', [instanceID]))
    ?.status;
const start = async (at: Registered) => (await world.rpc.call(execution.start, startRequest(at))).instanceID;

/** A running instance in front of QUEUED queued ones. */
async function longQueue(): Promise<ClaimedInstance> {
  const at = await runningInstance(world, { cancelQueue: true, credits: 10 });
  const first = await start(at);
  const columns = `process_id, process_name, owner_account_id, company_id, environment_id, version_id, version, trigger_kind,
    user_name, executor, request_id, status, accepted_as, accepted_at`;
  await world.store.write(
    `INSERT INTO instance (instance_id, ${columns}) SELECT UUID(), ${columns}
       FROM (SELECT * FROM instance WHERE instance_id = ?) one JOIN seq_1_to_${QUEUED - 1}`,
    [first],
  );
  await world.store.write(
    `INSERT IGNORE INTO instance_input SELECT i.instance_id, n.sealed FROM instance i JOIN instance_input n
      WHERE i.environment_id = ? AND i.status = 'queued' AND n.instance_id = ?`,
    [at.environmentID, first],
  );
  await world.store.rows('ANALYZE TABLE instance, instance_input, audit_event');
  return at;
}

const CANCELLED =
  "executor = 'cancelQueueOnException' AND instance_id IN (SELECT instance_id FROM instance WHERE environment_id = ?)";

test('an end in error takes a long queue from every claim with one row, and nothing that starts later', async () => {
  const at = await longQueue();
  const statements = await statementsOf(() => report(world, at, 1, end('ERROR')));
  const writes = statements.filter(({ sql }) => !sql.startsWith('SELECT'));
  expect(writes.filter(({ sql }) => sql.includes('queue_cancellation'))).toHaveLength(1);
  expect(await withStatus(at, 'queued')).toBe(QUEUED);
  expect(await claimOnce(world, at, 50)).toEqual([]);
  expect(await countQueued(world.store, at.environmentID, QUEUED)).toBe(0);

  const later = await start(at);
  const row = await world.store.transaction((tx) => lockInstance(tx, later));
  expect(row && (await countAhead(world.store, row))).toBe(0);
  expect((await claimOnce(world, at, 50)).map(({ instanceID }) => instanceID)).toEqual([later]);
  await sweepOnce();
  expect([await withStatus(at, 'stopped'), await withStatus(at, 'unknown')]).toEqual([QUEUED, 1]);
});

test('batches cancel a long queue, which a killed replica leaves to the others and two may do at once', async () => {
  const at = await longQueue();
  const before = await creditsOf(world.store, at.companyID);
  await report(world, at, 1, end('ERROR'));
  const latest = await start(at);
  const statements = await statementsOf(() => sweepOnce(killed));
  expect(await withStatus(at, 'stopped')).toBe(FIRST_BITE);
  for (const { sql, parameters } of statements) {
    for (const list of parameters.filter(Array.isArray)) expect([sql, list.length]).toEqual([sql, FIRST_BITE]);
  }

  await Promise.all([sweepOnce(), sweepOnce()]);
  await sweepOnce();
  expect([await withStatus(at, 'stopped'), await withStatus(at, 'queued')]).toEqual([QUEUED, 1]);
  expect(await countOf(world.store, 'audit_event', CANCELLED, [at.environmentID])).toBe(QUEUED);
  expect(await countOf(world.store, 'credit_entry', "company_id = ? AND kind = 'refund'", [at.companyID])).toBe(QUEUED);
  const after = before.balance + QUEUED - 1;
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: after, ledger: after });
  expect(await countOf(world.store, 'queue_cancellation', 'environment_id = ?', [at.environmentID])).toBe(0);
  expect(await countOf(world.store, 'instance_input', 'instance_id = ?', [latest])).toBe(1);
  expect((await claimOnce(world, at, 50)).map(({ instanceID }) => instanceID)).toEqual([latest]);
});

test('a cancellation skips an instance that another transaction has locked, and ends that instance afterwards', async () => {
  const at = await runningInstance(world, { cancelQueue: true, credits: 10 });
  const [held, free] = [await start(at), await start(at)];
  await report(world, at, 1, end('ERROR'));
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

test('a claim in front of a long cancelled queue reads none of its instances, and every statement is served by an index', async () => {
  const at = await longQueue();
  const statements = await statementsOf(() => report(world, at, 1, end('ERROR')));
  await start(at);
  const read = await world.store.transaction(async (tx) => {
    const readRows = async () =>
      Number((await tx.row<{ Value: string }>("SHOW SESSION STATUS LIKE 'Handler_read_next'"))?.Value);
    const before = await readRows();
    expect(await lockOldestWithInput(tx, at.environmentID, 50)).toHaveLength(1);
    return (await readRows()) - before;
  });
  expect(read).toBeLessThan(50);
  statements.push(...(await statementsOf(async () => [await claimOnce(world, at, 50), await sweepOnce(killed)])));
  expect(await unindexedReads(world.store, statements)).toEqual([]);
  await sweepOnce();
});
