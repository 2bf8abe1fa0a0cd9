import {
  execution,
  FAILED_STATUSES,
  INSTANCE_STATUSES,
  TRIGGER_KINDS,
  type InstanceStatus,
  type RunFilter,
} from '@batuta/contracts';
import { findLargeReads, recordStatements } from '../../../../test/support/query-plans';
import { registerProcess, startWorld, type ExecutionWorld } from '../../test/world';
import { addManyRuns, addSecondProcess, addRun } from '../../test/runs';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const page = (accountID: string, filter: RunFilter, limit = 100, before?: string) =>
  world.rpc.call(execution.runs, { accountID, filter, limit, before });

test('a page of failed runs, or of runs of a trigger, reads about as many rows as it shows, however many other runs are newer', async () => {
  const at = await registerProcess(world.store);
  const manual = await addRun(world, at, { minute: 0, trigger: 'manual' });
  const terminated = await addRun(world, at, { minute: 1, status: 'terminated', outcome: 'TERMINATED' });
  const failed = await addRun(world, at, { minute: 2, status: 'error', outcome: 'ERROR', trigger: 'webhook' });
  await addManyRuns(world, at, { count: 6_000 });
  const FILTERS: [RunFilter, string[]][] = [
    [{ statuses: ['error', 'terminated'] }, [failed, terminated]],
    [{ triggers: ['manual', 'schedule'] }, [manual]],
    [{ triggers: ['webhook'], statuses: ['error', 'terminated'] }, [failed]],
    [{ triggers: ['schedule'] }, []],
    [{ statuses: ['error'] }, [failed]],
  ];
  for (const [filter, ids] of FILTERS) {
    const statements = await recordStatements(async () => {
      expect(await page(at.ownerID, filter)).toEqual({
        runs: ids.map((id) => expect.objectContaining({ instanceID: id })),
      });
    });
    expect(await findLargeReads(world.store, statements, 20)).toEqual([]);
  }
});

test('the newest runs that failed or were terminated are found without a search, whichever of the two most of them are', async () => {
  const at = await registerProcess(world.store);
  const debugged = await addRun(world, at, { minute: 0, status: 'error', outcome: 'ERROR', trigger: 'debug' });
  await addManyRuns(world, at, { count: 6_000, status: 'terminated' });
  const newest = await addRun(world, at, { minute: 2 * 24 * 60, status: 'error', outcome: 'ERROR' });
  const triggers = TRIGGER_KINDS.filter((trigger) => trigger !== 'debug');
  const statements = await recordStatements(async () => {
    const { runs } = await page(at.ownerID, { statuses: ['error', 'terminated'], triggers });
    expect([runs.length, runs[0]?.instanceID]).toEqual([100, newest]);
    expect(runs.map(({ instanceID }) => instanceID)).not.toContain(debugged);
  });
  expect(await findLargeReads(world.store, statements, 200)).toEqual([]);
});

test('the column `failed` is true for the statuses of a failed run only', async () => {
  const at = await registerProcess(world.store);
  for (const status of INSTANCE_STATUSES) await addRun(world, at, { minute: 0, status });
  const failed = await world.store.rows<{ status: InstanceStatus }>(
    'SELECT status FROM instance WHERE process_id = ? AND failed',
    [at.processID],
  );
  expect(failed.map(({ status }) => status).toSorted()).toEqual(FAILED_STATUSES.toSorted());
});

test('the runs of a filter are listed page by page, each once, of all own processes and of shares', async () => {
  const one = await registerProcess(world.store);
  const two = await addSecondProcess(world, one);
  const shared = await registerProcess(world.store);
  await world.store.write('INSERT INTO process_share VALUES (?, ?, 0, 0, 0, 0, 0, 0, UTC_TIMESTAMP(3))', [
    shared.processID,
    one.ownerID,
  ]);
  const added: string[] = [];
  for (let n = 0; n < 12; n += 1) {
    const [at, trigger] = [[one, two, shared][n % 3] ?? one, n % 2 === 0 ? 'webhook' : 'manual'];
    const run = { minute: Math.floor(n / 2), trigger, starterID: one.ownerID };
    added.push(await addRun(world, at, { ...run, status: 'error', outcome: 'ERROR' }));
    await addRun(world, at, run);
  }
  for (const onlyOneProcess of [true, false]) {
    const filter: RunFilter = {
      statuses: ['error', 'terminated'],
      ...(onlyOneProcess && { processID: two.processID }),
    };
    const read: string[] = [];
    for (let before: string | undefined, isLast = false; !isLast;) {
      const { runs, older } = await page(one.ownerID, filter, 5, before);
      read.push(...runs.map((run) => run.instanceID));
      [before, isLast] = [older?.before, older === undefined];
    }
    expect(read.toSorted()).toEqual(added.filter((_, n) => !onlyOneProcess || n % 3 === 1).toSorted());
  }
});
