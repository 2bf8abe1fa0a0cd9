import { execution } from '@batuta/contracts';
import {
  countOf,
  registerProcess,
  startRequest,
  startWorld,
  type TestProcess,
  type ExecutionWorld,
} from '../../test/world';
import { deleteInstances, deleteIdempotencyKeys, deleteLogsAndValues } from './retention.repository';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Returns the id of an instance that ended `days` ago and has the given number of log lines. */
async function makeInstanceEndedDaysAgo(at: TestProcess, days: number, lines: number): Promise<string> {
  const { instanceID } = await world.rpc.call(execution.start, startRequest(at));
  await world.store.write(
    `UPDATE instance SET status = 'success', has_log = ?, last_line = ?,
            finished_at = UTC_TIMESTAMP(3) - INTERVAL ? HOUR WHERE instance_id = ?`,
    [lines > 0, lines, days * 24, instanceID],
  );
  const rows = Array.from({ length: lines }, (_, line) => [instanceID, line + 1, new Date(), 'INFO', 'm', 's', null]);
  if (lines > 0) {
    await world.store.write(
      'INSERT INTO instance_log (instance_id, line, logged_at, severity, message, step, evidence) VALUES ?',
      [rows],
    );
  }
  return instanceID;
}

const countLines = (instanceID: string) => countOf(world.store, 'instance_log', 'instance_id = ?', [instanceID]);
const countInstances = (instanceID: string) => countOf(world.store, 'instance', 'instance_id = ?', [instanceID]);

test('log lines are deleted after the days of the plan of their company', async () => {
  const [short, long] = [await registerProcess(world.store), await registerProcess(world.store)];
  await world.store.write(
    'UPDATE plan SET log_retention_days = 90 WHERE plan_id = (SELECT plan_id FROM company WHERE company_id = ?)',
    [long.companyID],
  );
  const gone = await makeInstanceEndedDaysAgo(short, 31, 1_200);
  const kept = [await makeInstanceEndedDaysAgo(short, 29.9, 3), await makeInstanceEndedDaysAgo(long, 31, 3)];
  expect(await deleteLogsAndValues(world.store)).toEqual({ rows: 1_200, behindSeconds: 0 });
  expect(await countLines(gone)).toBe(0);
  for (const instanceID of kept) expect(await countLines(instanceID)).toBe(3);
  expect(await countInstances(gone)).toBe(1);
});

test('the values of an instance without log lines are deleted after the same days', async () => {
  const at = await registerProcess(world.store, { matrix: [{ name: 'order', type: 'Texto' }] });
  const { instanceID } = await world.rpc.call(execution.start, startRequest(at, { matrix: { order: '7' } }));
  const viewer = { accountID: at.ownerID };
  await world.rpc.call(execution.control, { instanceID, action: 'stop', viewer, executor: 'erp-key' });
  await world.store.write(
    'UPDATE instance SET finished_at = UTC_TIMESTAMP(3) - INTERVAL 31 DAY WHERE instance_id = ?',
    [instanceID],
  );
  const countValues = () => countOf(world.store, 'instance_input', 'instance_id = ?', [instanceID]);
  expect(await countValues()).toBe(1);
  await deleteLogsAndValues(world.store);
  expect(await countValues()).toBe(0);
  expect(await countInstances(instanceID)).toBe(1);
});

test('wherever a sweep of log lines ends because the service stops, the next sweeps delete the rest', async () => {
  const at = await registerProcess(world.store);
  const instanceID = await makeInstanceEndedDaysAgo(at, 31, 120);
  expect(await deleteLogsAndValues(world.store, () => true)).toMatchObject({ rows: 0 });
  let deleted = 0;
  for (let stopAt = 1; deleted < 120 && stopAt < 100; stopAt += 1) {
    let calls = 0;
    const { rows } = await deleteLogsAndValues(world.store, () => (calls += 1) >= stopAt);
    deleted += rows;
    expect(await countLines(instanceID)).toBe(120 - deleted);
  }
  expect(await countLines(instanceID)).toBe(0);
});

test('ended instances are deleted with their log lines after the days of the setting, and active ones stay', async () => {
  const at = await registerProcess(world.store);
  const old = await makeInstanceEndedDaysAgo(at, 401, 3);
  const young = await makeInstanceEndedDaysAgo(at, 399, 0);
  const { instanceID: queued } = await world.rpc.call(execution.start, startRequest(at));
  await world.store.write(
    'UPDATE instance SET accepted_at = UTC_TIMESTAMP(3) - INTERVAL 900 DAY WHERE instance_id = ?',
    [queued],
  );
  await deleteLogsAndValues(world.store);
  expect(await deleteInstances(world.store, 400)).toEqual({ rows: 1, behindSeconds: 0 });
  expect([await countInstances(old), await countInstances(young), await countInstances(queued)]).toEqual([0, 1, 1]);
  expect(await countLines(old)).toBe(0);
  expect(await countOf(world.store, 'credit_entry', 'instance_id = ?', [old])).toBe(1);
});

test('idempotency keys are deleted after 24 hours, and the overdue time is 0 afterwards', async () => {
  const at = await registerProcess(world.store);
  const key = (name: string) => ({ idempotency: { scope: at.processID, key: name, body: '' } });
  const [old, young] = [startRequest(at, key('old')), startRequest(at, key('young'))];
  await world.rpc.call(execution.start, old);
  await world.rpc.call(execution.start, young);
  await world.store.write(
    'UPDATE idempotency_key SET created_at = UTC_TIMESTAMP(3) - INTERVAL 25 HOUR WHERE instance_id = ?',
    [old.instanceID],
  );
  expect(await deleteIdempotencyKeys(world.store)).toEqual({ rows: 1, behindSeconds: 0 });
  expect(await countOf(world.store, 'idempotency_key', 'instance_id = ?', [young.instanceID])).toBe(1);
});

test('log lines that a plan keeps for longer than the setting keeps instances stay with their instance until the days of the plan', async () => {
  const at = await registerProcess(world.store);
  await world.store.write(
    'UPDATE plan SET log_retention_days = 730 WHERE plan_id = (SELECT plan_id FROM company WHERE company_id = ?)',
    [at.companyID],
  );
  const [kept, gone] = [await makeInstanceEndedDaysAgo(at, 729, 3), await makeInstanceEndedDaysAgo(at, 731, 3)];
  expect(await deleteLogsAndValues(world.store)).toEqual({ rows: 3, behindSeconds: 0 });
  expect(await deleteInstances(world.store, 400)).toEqual({ rows: 1, behindSeconds: 0 });
  expect([await countLines(kept), await countInstances(kept), await countInstances(gone)]).toEqual([3, 1, 0]);
});

test('an instance that another transaction has locked counts as overdue until it is deleted', async () => {
  const at = await registerProcess(world.store);
  const instanceID = await makeInstanceEndedDaysAgo(at, 402, 0);
  await world.store.transaction(async (tx) => {
    await tx.rows('SELECT 1 FROM instance WHERE instance_id = ? FOR UPDATE', [instanceID]);
    const { rows, behindSeconds } = await deleteInstances(world.store, 400);
    expect([rows, Math.round(behindSeconds / 3_600)]).toEqual([0, 48]);
  });
  expect(await deleteInstances(world.store, 400)).toEqual({ rows: 1, behindSeconds: 0 });
});
