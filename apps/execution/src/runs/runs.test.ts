import { execution, type RunFilter } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { findLargeReads, findUnindexedReads, recordStatements } from '../../../../test/support/query-plans';
import { registerProcess, startWorld, type TestProcess, type ExecutionWorld } from '../../test/world';
import { addManyRuns, addSecondProcess, addRun, BASE_TIME } from '../../test/runs';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const page = (accountID: string, filter: RunFilter = {}, limit = 100, before?: string) =>
  world.rpc.call(execution.runs, { accountID, filter, limit, before });
const idsOf = async (...args: Parameters<typeof page>) => (await page(...args)).runs.map((run) => run.instanceID);

test('the runs of all own processes are listed newest first, page by page, each once', async () => {
  const one = await registerProcess(world.store);
  const two = await addSecondProcess(world, one);
  const added: string[] = [];
  // Pairs of instances have the same time of acceptance.
  for (let n = 0; n < 12; n += 1)
    added.push(await addRun(world, n % 3 === 0 ? one : two, { minute: Math.floor(n / 2) }));
  const read: string[] = [];
  let before: string | undefined;
  do {
    const { runs, older } = await page(one.ownerID, {}, 5, before);
    read.push(...runs.map((run) => run.instanceID));
    before = older?.before;
  } while (before !== undefined);
  expect(read).toHaveLength(12);
  expect(new Set(read)).toEqual(new Set(added));
  const times = await Promise.all(read.map(async (id) => added.indexOf(id) >> 1));
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  expect((await page(one.ownerID)).runs[0]).toEqual({
    instanceID: expect.any(String),
    processID: expect.any(String),
    processName: 'P',
    status: 'success',
    outcome: 'FINALIZED',
    trigger: 'api',
    userName: 'u',
    environmentID: one.environmentID,
    version: 1,
    acceptedAt: '2026-11-20T12:05:00.000Z',
    startedAt: '2026-11-20T12:05:00.000Z',
    finishedAt: '2026-11-20T12:05:01.000Z',
    durationMs: 1000,
    errorStep: null,
    errorMessage: null,
    retryOf: null,
  });
});

test('runs that several processes accepted at the same time are all listed, whatever the size of a page', async () => {
  const one = await registerProcess(world.store);
  const older = await addRun(world, await addSecondProcess(world, one), { minute: 1 });
  const oldest = await addRun(world, one, { minute: 0 });
  const together: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    together.push(await addRun(world, n === 0 ? one : await addSecondProcess(world, one), { minute: 2 }));
  }
  for (const filter of [{}, { triggers: ['api'] }] satisfies RunFilter[]) {
    for (const limit of [1, 2, 3]) {
      const read: string[] = [];
      for (let before: string | undefined, isLast = false; !isLast;) {
        const { runs, older: next } = await page(one.ownerID, filter, limit, before);
        read.push(...runs.map((run) => run.instanceID));
        [before, isLast] = [next?.before, next === undefined];
      }
      expect(read).toEqual([...together.toSorted().toReversed(), older, oldest]);
    }
  }
});

test('runs are filtered by process, status, trigger, environment and period', async () => {
  const at = await registerProcess(world.store);
  const other = await addSecondProcess(world, at);
  const failed = await addRun(world, at, { minute: 1, status: 'error', outcome: 'ERROR' });
  const byHook = await addRun(world, at, { minute: 2, trigger: 'webhook', starterID: null });
  const running = await addRun(world, at, { minute: 3, status: 'running', outcome: null });
  const elsewhere = await addRun(world, other, { minute: 4 });
  const of = (filter: RunFilter) => idsOf(at.ownerID, filter);
  expect(await of({ processID: at.processID })).toEqual([running, byHook, failed]);
  expect(await of({ processID: other.processID })).toEqual([elsewhere]);
  expect(await of({ statuses: ['error', 'running'] })).toEqual([running, failed]);
  expect(await of({ triggers: ['webhook', 'schedule'] })).toEqual([byHook]);
  expect(await of({ environmentID: at.environmentID })).toHaveLength(4);
  expect(await of({ environmentID: uuid() })).toEqual([]);
  const time = (minute: number) => new Date(BASE_TIME + minute * 60_000).toISOString();
  expect(await of({ from: time(2), to: time(4) })).toEqual([running, byHook]);
  expect(await of({ to: time(2), statuses: ['error'] })).toEqual([failed]);
});

test('an account with a share sees the runs that it started, and an account without a share sees none', async () => {
  const at = await registerProcess(world.store);
  const { ownerID: biaID } = await registerProcess(world.store);
  await world.store.write('INSERT INTO process_share VALUES (?, ?, 0, 0, 0, 0, 0, 0, UTC_TIMESTAMP(3))', [
    at.processID,
    biaID,
  ]);
  const byBia = await addRun(world, at, { minute: 1, starterID: biaID });
  const byOwner = await addRun(world, at, { minute: 2 });
  expect(await idsOf(at.ownerID)).toEqual([byOwner, byBia]);
  expect(await idsOf(biaID)).toEqual([byBia]);
  expect(await idsOf(biaID, { processID: at.processID })).toEqual([byBia]);
  expect(await idsOf(uuid())).toEqual([]);
  expect(await idsOf(uuid(), { processID: at.processID })).toEqual([]);
});

test('a page whose filter matches nothing among many runs ends, and its cursor continues the search', async () => {
  const at = await registerProcess(world.store);
  const first = await addRun(world, at, { minute: 0, status: 'stopped', outcome: 'STOPPED' });
  await addManyRuns(world, at, { count: 6_000 });
  const { runs, older } = await page(at.ownerID, { statuses: ['stopped'] }, 10);
  expect(runs).toEqual([]);
  const next = await page(at.ownerID, { statuses: ['stopped'] }, 10, older?.before);
  expect(next).toEqual({ runs: [expect.objectContaining({ instanceID: first })] });
  const { ownerID: biaID } = await registerProcess(world.store);
  await world.store.write('INSERT INTO process_share VALUES (?, ?, 0, 0, 0, 0, 0, 0, UTC_TIMESTAMP(3))', [
    at.processID,
    biaID,
  ]);
  await world.store.rows('ANALYZE TABLE instance');
  const period = { from: '2026-11-20T00:00:00Z', to: '2026-11-30T00:00:00Z', by: 'day' } as const;
  const statements = await recordStatements(async () => {
    await page(at.ownerID, { statuses: ['error'], environmentID: at.environmentID });
    await world.rpc.call(execution.statistics, { accountID: at.ownerID, ...period });
    for (const accountID of [at.ownerID, biaID]) {
      await world.rpc.call(execution.statistics, { accountID, ...period, asListed: true });
    }
    await world.rpc.call(execution.load, { environmentIDs: [at.environmentID] });
  });
  // The server scans tables of few rows; those plans do not count.
  const small = /^(p|s) \(/;
  const found = await findUnindexedReads(world.store, statements);
  expect(found.filter((read) => !small.test(read))).toEqual([]);
});

describe('many instances', () => {
  const COUNT = 3_000;
  /** More rows than one step reads, and far fewer than the instances in the table. */
  const MAX_ROWS_READ = 1_000;
  let at: TestProcess;
  let old: { instance_id: string; accepted_at: Date };
  let oldEvent: number;
  let firstQueued: string;
  beforeAll(async () => {
    at = await registerProcess(world.store);
    const columns = `instance_id, process_id, process_name, owner_account_id, company_id, starter_account_id, environment_id, version_id,
       version, trigger_kind, user_name, executor, request_id, status, accepted_as, accepted_at, history_at, finished_at`;
    const ids = [at.processID, at.ownerID, at.companyID, at.ownerID, at.environmentID, at.versionID];
    const time = `'2026-11-20' + INTERVAL seq SECOND`;
    await world.store.write(
      `INSERT INTO instance (${columns})
       SELECT UUID(), ?, 'P', ?, ?, ?, ?, ?, 1, 'api', 'u', 'e', 'r', IF(seq % 10 = 0, 'error', 'success'), 'started', ${time}, ${time}, ${time}
         FROM seq_1_to_${COUNT}`,
      ids,
    );
    await world.store.write(
      `INSERT INTO instance (${columns})
       SELECT UUID(), ?, 'P', ?, ?, ?, ?, ?, 1, 'api', 'u', 'e', 'r', 'queued', 'queued', ${time}, NULL, NULL FROM seq_1_to_${COUNT}`,
      [uuid(), ...ids.slice(1)],
    );
    await world.store.write(
      `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
       SELECT ?, NULL, ?, 'start', 'e', '{}', NOW(3) FROM seq_1_to_${COUNT}`,
      [at.processID, at.ownerID],
    );
    await world.store.rows('ANALYZE TABLE instance, audit_event');
    const first =
      'SELECT instance_id, accepted_at FROM instance WHERE owner_account_id = ? AND status = ? ORDER BY accepted_at';
    const [, , , found] = await world.store.rows<typeof old>(first, [at.ownerID, 'success']);
    const [queued] = await world.store.rows<typeof old>(first, [at.ownerID, 'queued']);
    const event = await world.store.row<{ id: number }>(
      'SELECT MIN(event_id) AS id FROM audit_event WHERE process_id = ?',
      [at.processID],
    );
    if (!found || !queued || !event) throw new Error('Nothing was filled');
    [old, oldEvent, firstQueued] = [found, event.id + 5, queued.instance_id];
  });

  const READS: [string, () => Promise<unknown>][] = [
    ['an old page of the runs', () => page(at.ownerID, {}, 10, `${old.accepted_at.getTime()}.${old.instance_id}`)],
    ['runs from a time when none was accepted', () => page(at.ownerID, { from: '2026-12-01T00:00:00Z' })],
    ['an old page of failed runs', () => page(at.ownerID, { statuses: ['error'], to: old.accepted_at.toISOString() })],
    ['failed runs', () => page(at.ownerID, { statuses: ['error'] }, 10)],
    [
      'an old page of a process',
      () => world.rpc.call(execution.instances, { processID: at.processID, limit: 10, before: old.instance_id }),
    ],
    [
      'an old page of a share',
      () =>
        world.rpc.call(execution.instances, {
          processID: at.processID,
          limit: 10,
          before: old.instance_id,
          startedBy: at.ownerID,
        }),
    ],
    [
      'an old page of the audit trail',
      () => world.rpc.call(execution.audit, { processID: at.processID, limit: 10, before: oldEvent }),
    ],
    [
      'an old part of the history',
      () =>
        world.rpc.call(execution.history, { processID: at.processID, from: '2026-11-19', to: '2026-11-19', limit: 10 }),
    ],
    [
      'the first of a long queue',
      () => world.rpc.call(execution.instance, { instanceID: firstQueued, viewer: { accountID: at.ownerID } }),
    ],
  ];
  test.each(READS)(
    'a page of %s is read from thousands of instances without those that are newer or wait behind it',
    async (_what, read) => {
      const statements = await recordStatements(read);
      expect(await findLargeReads(world.store, statements, MAX_ROWS_READ)).toEqual([]);
    },
  );
});

test('active runs are listed page by page without reading ended ones', async () => {
  const at = await registerProcess(world.store);
  const { ownerID: biaID } = await registerProcess(world.store);
  await world.store.write('INSERT INTO process_share VALUES (?, ?, 0, 0, 0, 0, 0, 0, UTC_TIMESTAMP(3))', [
    at.processID,
    biaID,
  ]);
  const statuses = ['queued', 'unknown', 'running'] as const;
  const active: string[] = [];
  for (let minute = 0; minute < 5; minute += 1) {
    active.unshift(await addRun(world, at, { minute, status: statuses[minute % 3], outcome: null }));
  }
  const ofBia = await addRun(world, at, { minute: 5, status: 'queued', outcome: null, starterID: biaID });
  for (let minute = 6; minute < 30; minute += 1) await addRun(world, at, { minute });
  const filter: RunFilter = { statuses: [...statuses] };
  expect(await idsOf(at.ownerID, filter)).toEqual([ofBia, ...active]);
  expect(await idsOf(biaID, filter)).toEqual([ofBia]);
  expect(await idsOf(at.ownerID, { statuses: ['running'] })).toEqual([active[2]]);
  expect(await idsOf(at.ownerID, { ...filter, environmentID: uuid() })).toEqual([]);
  const time = (minute: number) => new Date(BASE_TIME + minute * 60_000).toISOString();
  expect(await idsOf(at.ownerID, { ...filter, from: time(1), to: time(3) })).toEqual([active[2], active[3]]);
  const first = await page(at.ownerID, filter, 4);
  const second = await page(at.ownerID, filter, 4, first.older?.before);
  expect([...first.runs, ...second.runs].map((run) => run.instanceID)).toEqual([ofBia, ...active]);
  expect(second.older).toBeUndefined();
  const statements = await recordStatements(() => page(at.ownerID, filter));
  expect(statements.some(({ sql }) => sql.includes('FORCE INDEX (instance_process)'))).toBe(false);
});

test('a text that is no cursor is BAD_REQUEST', async () => {
  for (const before of ['x', '1', `${'9'.repeat(20)}.${uuid()}`]) {
    await expect(page(uuid(), {}, 10, before)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  }
});

test('the load of an environment is the numbers of its queued and running instances', async () => {
  const at = await registerProcess(world.store);
  await addRun(world, at, { minute: 0, status: 'queued', outcome: null });
  await addRun(world, at, { minute: 0, status: 'queued', outcome: null });
  await addRun(world, at, { minute: 0, status: 'running', outcome: null });
  const unknown = uuid();
  expect(await world.rpc.call(execution.load, { environmentIDs: [at.environmentID, unknown] })).toEqual({
    environments: [
      { environmentID: at.environmentID, queued: 2, running: 1 },
      { environmentID: unknown, queued: 0, running: 0 },
    ],
  });
});
