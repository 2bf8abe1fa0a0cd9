import { MAX_EVIDENCE_BYTES } from '@batuta/agent-protocol';
import { execution } from '@batuta/contracts';
import { waitUntil } from '../../../../test/support/wait-until';
import {
  endReport,
  readInstance,
  readLogs,
  requestControl,
  sendReport,
  createRunningInstance,
} from '../../test/instances';
import { countOf, creditsOf, startRequest, startWorld, type ExecutionWorld } from '../../test/world';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld(2);
});
afterAll(() => world?.close());

test('reports are written once and in order, and the one with the end closes the instance', async () => {
  const at = await createRunningInstance(world);
  expect(await sendReport(world, at, 1)).toEqual({ accepted: true, seq: 1 });
  expect(await sendReport(world, at, 1)).toEqual({ accepted: true, seq: 1 });
  const twice = await Promise.all([
    sendReport(world, at, 2, endReport('FINALIZED')),
    sendReport(world, at, 2, endReport('FINALIZED')),
  ]);
  for (const reply of twice) expect(reply).toEqual({ accepted: true, seq: 2 });
  expect((await readLogs(world, at)).logs.map(({ message }) => message)).toEqual(['line of 1', 'line of 2']);
  expect(await readInstance(world, at)).toMatchObject({
    status: 'success',
    version: '1',
    errorStep: null,
    errorMessage: null,
    fteHours: 0.5,
    savingsValue: 25,
    finishedAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(await sendReport(world, at, 3)).toEqual({ accepted: false, seq: 3 });
  expect(await countOf(world.store, 'instance_input', 'instance_id = ? AND kept = 0', [at.work.instanceID])).toBe(0);
});

test('a report whose predecessor is missing ends its instance with an error that names it, and keeps what is stored', async () => {
  const at = await createRunningInstance(world);
  await sendReport(world, at, 1);
  expect(await sendReport(world, at, 3, endReport('FINALIZED'))).toEqual({ accepted: false, seq: 3 });
  expect(await readInstance(world, at)).toMatchObject({
    status: 'error',
    errorMessage: 'The agent sent report 3 of the execution, but report 2 is missing, so its result is not known.',
  });
  expect((await readLogs(world, at)).logs.map(({ message }) => message)).toEqual(['line of 1']);
  expect(await sendReport(world, at, 2)).toEqual({ accepted: false, seq: 2 });
});

test('a report that the database does not take ends its instance once its router asks for that, and the log says so', async () => {
  const at = await createRunningInstance(world);
  await sendReport(world, at, 1);
  const lines = [{ timestamp: 'no time', severity: 'INFO' as const, message: 'm', stepID: 'a' }];
  await expect(sendReport(world, at, 2, { lines })).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(await readInstance(world, at)).toMatchObject({ status: 'running' });
  expect(await sendReport(world, at, 2, { lines, ...endReport('FINALIZED') }, true)).toEqual({
    accepted: false,
    seq: 2,
  });
  const errorMessage = 'Report 2 of the execution could not be stored, so its result is not known.';
  expect(await readInstance(world, at)).toMatchObject({ status: 'error', errorMessage });
  expect((await readLogs(world, at)).logs).toMatchObject([
    { message: 'line of 1' },
    { severity: 'ERROR', message: errorMessage },
  ]);
  expect(await sendReport(world, at, 2, {}, true)).toEqual({ accepted: false, seq: 2 });
});

test('a report that the database takes is stored although its router asks for the end if it does not', async () => {
  const at = await createRunningInstance(world);
  expect(await sendReport(world, at, 1, {}, true)).toEqual({ accepted: true, seq: 1 });
  expect(await readInstance(world, at)).toMatchObject({ status: 'running' });
});

test('while the database takes no line at all, a report ends no instance', async () => {
  const at = await createRunningInstance(world);
  await world.store.write(
    "CREATE TRIGGER refuse_lines BEFORE INSERT ON instance_log FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'",
  );
  try {
    await expect(sendReport(world, at, 1, {}, true)).rejects.toMatchObject({ code: 'INTERNAL' });
  } finally {
    await world.store.write('DROP TRIGGER refuse_lines');
  }
  expect(await sendReport(world, at, 1)).toEqual({ accepted: true, seq: 1 });
});

test('an instance that shall stop ends as stopped when a report of it is missing', async () => {
  const at = await createRunningInstance(world);
  await requestControl(world, at, at.work.instanceID, 'stop');
  expect(await sendReport(world, at, 2)).toEqual({ accepted: false, seq: 2 });
  expect(await readInstance(world, at)).toMatchObject({ status: 'stopped' });
});

test('an instance ends as a success although its savings are larger than the database stores', async () => {
  const at = await createRunningInstance(world);
  await world.store.write(
    "UPDATE process SET avg_human_time = '999:59:59', avg_operator_cost = 999999999999 WHERE process_id = ?",
    [at.processID],
  );
  expect(await sendReport(world, at, 1, endReport('FINALIZED'))).toEqual({ accepted: true, seq: 1 });
  expect(await readInstance(world, at)).toMatchObject({ status: 'success', savingsValue: 999_999_999_999.99 });
});

test.each([
  ['TERMINATED', 'terminated'],
  ['STEP_LIMIT_REACHED', 'error'],
  ['ERROR', 'error'],
  ['STOPPED', 'stopped'],
  ['CRASHED', 'error'],
] as const)('an end with the outcome %s has the status %s and no savings', async (outcome, status) => {
  const at = await createRunningInstance(world);
  await sendReport(world, at, 1, endReport(outcome));
  expect(await readInstance(world, at)).toMatchObject({ status, savingsValue: 0, fteHours: 0 });
});

test('a report with an old fence is refused and changes nothing', async () => {
  const at = await createRunningInstance(world);
  expect(await sendReport(world, at, 1, { fence: 9 })).toEqual({ accepted: false, seq: 1 });
  expect((await readLogs(world, at)).logs).toEqual([]);
});

test('an end in error empties the queue of an environment with cancelQueueOnException and returns every credit', async () => {
  const at = await createRunningInstance(world, { cancelQueue: true, credits: 10 });
  for (let n = 0; n < 3; n += 1) await world.rpc.call(execution.start, startRequest(at));
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 6, ledger: 6 });
  await sendReport(world, at, 1, endReport('ERROR'));
  await waitUntil('the queue is cancelled', async () => {
    return (await countOf(world.store, 'instance', "process_id = ? AND status = 'stopped'", [at.processID])) === 3;
  });
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 9, ledger: 9 });
});

test('the end of an instance whose report cannot be stored empties the queue of an environment with cancelQueueOnException', async () => {
  const at = await createRunningInstance(world, { cancelQueue: true, credits: 10 });
  await world.rpc.call(execution.start, startRequest(at));
  const lines = [{ timestamp: 'no time', severity: 'INFO' as const, message: 'm', stepID: 'a' }];
  expect(await sendReport(world, at, 1, { lines }, true)).toEqual({ accepted: false, seq: 1 });
  await waitUntil('the queue is cancelled', async () => {
    return (await countOf(world.store, 'instance', "process_id = ? AND status = 'stopped'", [at.processID])) === 1;
  });
});

test('an end in error leaves the queue of an environment without cancelQueueOnException', async () => {
  const at = await createRunningInstance(world);
  await world.rpc.call(execution.start, startRequest(at));
  await sendReport(world, at, 1, endReport('ERROR'));
  expect(await countOf(world.store, 'instance', "process_id = ? AND status = 'queued'", [at.processID])).toBe(1);
});

test('an instance whose evidence has reached its limit keeps further lines without their evidence', async () => {
  const at = await createRunningInstance(world);
  const { instanceID } = at.work;
  const line = { timestamp: '2026-01-01T00:00:00Z', severity: 'INFO' as const, message: 'shot', stepID: 'a' };
  await sendReport(world, at, 1, { lines: [{ ...line, evidence: 'first' }] });
  await world.store.write('UPDATE instance SET evidence_bytes = evidence_bytes + ? WHERE instance_id = ?', [
    MAX_EVIDENCE_BYTES - 10,
    instanceID,
  ]);
  await sendReport(world, at, 2, { lines: [{ ...line, evidence: 'x'.repeat(6) }] });
  const { logs } = await readLogs(world, at);
  expect(logs.map(({ evidence }) => evidence)).toEqual(['first', null]);
  expect(logs[1]?.message).toMatch(/^shot .evidence of 6 bytes not kept/);
});
