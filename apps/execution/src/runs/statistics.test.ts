import { execution, TRIGGER_KINDS } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { addRun, BASE_TIME } from '../../test/runs';
import { registerProcess, startWorld, type ExecutionWorld } from '../../test/world';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

test('statistics count outcomes by hour or day of São Paulo, with the percentiles of durations', async () => {
  const at = await registerProcess(world.store);
  for (let n = 1; n <= 20; n += 1) await addRun(world, at, { minute: n, seconds: n });
  await addRun(world, at, { minute: 70, status: 'error', outcome: 'CRASHED', seconds: 100 });
  await addRun(world, at, { minute: 60 * 16, status: 'stopped', outcome: 'STOPPED', seconds: 7 });
  await addRun(world, at, { minute: 80, status: 'running', outcome: null });
  const read = (by: 'hour' | 'day', accountID = at.ownerID) =>
    world.rpc.call(execution.statistics, { accountID, by, from: '2026-11-20T12:00:00Z', to: '2026-11-21T12:00:00Z' });
  const { buckets, ...total } = await read('hour');
  const none = { FINALIZED: 0, TERMINATED: 0, STEP_LIMIT_REACHED: 0, ERROR: 0, STOPPED: 0, CRASHED: 0 };
  expect(buckets).toEqual([
    { at: '2026-11-20T12:00:00.000Z', outcomes: { ...none, FINALIZED: 20 }, p50Ms: 10_000, p95Ms: 19_000 },
    { at: '2026-11-20T13:00:00.000Z', outcomes: { ...none, CRASHED: 1 }, p50Ms: 100_000, p95Ms: 100_000 },
    { at: '2026-11-21T04:00:00.000Z', outcomes: { ...none, STOPPED: 1 }, p50Ms: 7_000, p95Ms: 7_000 },
  ]);
  expect(total).toEqual({
    outcomes: { ...none, FINALIZED: 20, CRASHED: 1, STOPPED: 1 },
    p50Ms: 10_000,
    p95Ms: 20_000,
    since: '2026-11-20T12:00:00.000Z',
  });
  expect((await read('day')).buckets.map((bucket) => bucket.at)).toEqual([
    '2026-11-20T03:00:00.000Z',
    '2026-11-21T03:00:00.000Z',
  ]);
  expect((await read('day', uuid())).buckets).toEqual([]);
});

test('statistics have the duration 0, as the list of runs, of an instance that ended before its start by a clock that was set back', async () => {
  const at = await registerProcess(world.store);
  await addRun(world, at, { minute: 1, seconds: -5 });
  const request = { accountID: at.ownerID, from: '2026-11-20T12:00:00Z', to: '2026-11-21T12:00:00Z' };
  const { p50Ms, p95Ms } = await world.rpc.call(execution.statistics, { ...request, by: 'hour' });
  const { runs } = await world.rpc.call(execution.runs, { accountID: at.ownerID, filter: {}, limit: 1 });
  expect([p50Ms, p95Ms, runs[0]?.durationMs]).toEqual([0, 0, 0]);
});

test('statistics with `asListed` count the ended runs of the period that the list of runs shows to the account', async () => {
  const at = await registerProcess(world.store);
  const bia = await registerProcess(world.store);
  await world.store.write('INSERT INTO process_share VALUES (?, ?, 0, 0, 0, 0, 0, 0, UTC_TIMESTAMP(3))', [
    at.processID,
    bia.ownerID,
  ]);
  const from = new Date(BASE_TIME).toISOString();
  const to = new Date(BASE_TIME + 86_400_000).toISOString();
  const accepted = await addRun(world, at, { minute: -5, starterID: bia.ownerID });
  await world.store.write('UPDATE instance SET started_at = ?, history_at = ? WHERE instance_id = ?', [
    new Date(BASE_TIME + 60_000),
    new Date(BASE_TIME + 60_000),
    accepted,
  ]);
  await addRun(world, at, { minute: 1 });
  await addRun(world, at, { minute: 2, starterID: bia.ownerID });
  await addRun(world, bia, { minute: 3 });
  await addRun(world, bia, { minute: 4, status: 'running', outcome: null });
  const debugged = await addRun(world, at, { minute: 5, trigger: 'debug', starterID: bia.ownerID });
  await world.store.write('UPDATE instance SET history_at = NULL WHERE instance_id = ?', [debugged]);
  const triggers = TRIGGER_KINDS.filter((trigger) => trigger !== 'debug');
  for (const [accountID, count] of [
    [at.ownerID, 2],
    [bia.ownerID, 2],
  ] as const) {
    const request = { accountID, from, to, by: 'hour' } as const;
    const { outcomes } = await world.rpc.call(execution.statistics, { ...request, asListed: true });
    expect(outcomes.FINALIZED).toBe(count);
    const filter = { from, statuses: ['success' as const], triggers };
    const { runs } = await world.rpc.call(execution.runs, { accountID, filter, limit: 10 });
    expect(runs).toHaveLength(count);
  }
  const own = await world.rpc.call(execution.statistics, { accountID: at.ownerID, from, to, by: 'hour' });
  expect(own.outcomes.FINALIZED).toBe(3);
});

test.each([
  ['2026-11-20T00:00:00Z', '2026-12-22T00:00:00Z'],
  ['2026-11-20T00:00:00Z', '2026-11-20T00:00:00Z'],
])('statistics from %s to %s are refused', async (from, to) => {
  const request = { accountID: uuid(), by: 'day', from, to } as const;
  await expect(world.rpc.call(execution.statistics, request)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});
