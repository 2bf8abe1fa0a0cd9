import { schedule, type Firing } from '@batuta/contracts';
import { waitUntil } from '../../../../test/support/wait-until';
import { v7 as uuid } from 'uuid';
import { addAccount, registerProcess, shareProcess, type RegisterOptions } from '../../test/registry';
import { addSchedule, firingsOf, areSettled, startWorld, untilFirings, type ScheduleWorld } from '../../test/world';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await startWorld({ replicas: 3 });
});
afterAll(() => world?.close());

beforeEach(async () => {
  // The schedules of earlier tests are removed, because they would fire when the clock moves.
  await world.store.write('DELETE FROM schedule');
  await world.setClock('2026-11-20T11:59:30Z');
  world.execution.refusal = () => undefined;
  world.execution.losesReply = () => false;
});

const resultsOf = (firings: Firing[]) => firings.map(({ nominalAt, result }) => `${nominalAt.slice(11, 16)} ${result}`);
const nextTimeOfSchedule = async (id: string) =>
  (await world.store.row<{ next_at: Date | null }>('SELECT next_at FROM schedule WHERE schedule_id = ?', [id]))
    ?.next_at;

test('a due schedule starts one instance as the owner, under the schedule’s name, with the values as the client sent them', async () => {
  const at = await registerProcess(world.store, { matrix: [{ name: 'total', type: 'Moeda' }] });
  const id = await addSchedule(world, at, { matrix: { total: 'R$ 10,50' }, environmentID: at.environmentID });
  await world.setClock('2026-11-20T12:00:00Z');
  const [firing] = await untilFirings(world, at, id, areSettled);
  expect(firing).toEqual({
    nominalAt: '2026-11-20T12:00:00.000Z',
    result: 'fired',
    instanceID: expect.any(String),
    reason: null,
    settledAt: expect.any(String),
  });
  expect(world.execution.startsOf(at.processID)).toEqual([
    {
      instanceID: firing?.instanceID,
      deadline: expect.any(Number),
      processID: at.processID,
      trigger: { kind: 'schedule', accountID: at.ownerID, userName: 'Nightly', executor: 'erp-key' },
      matrix: { total: 'R$ 10,50' },
      environmentID: at.environmentID,
    },
  ]);
  expect(await nextTimeOfSchedule(id)).toEqual(new Date('2026-11-21T12:00:00Z'));
});

describe('creators', () => {
  const FORBIDDEN = { result: 'skipped', instanceID: null, reason: { code: 'FORBIDDEN' } };
  const OF_SHARE = 'process_id = ? AND account_id = ?';

  async function makeProcessSharedForSchedules() {
    const at = await registerProcess(world.store);
    const creator = await addAccount(world.store, at.companyID);
    await shareProcess(world.store, at.processID, creator, true);
    const [id, ofOwner] = [await addSchedule(world, at, {}, creator), await addSchedule(world, at)];
    return { at, creator, id, ofOwner };
  }

  test.each<[string, string, (processID: string, creator: string) => string[]]>([
    ['share ended', `DELETE FROM process_share WHERE ${OF_SHARE}`, (processID, creator) => [processID, creator]],
    [
      'share was reduced',
      `UPDATE process_share SET may_schedule = 0 WHERE ${OF_SHARE}`,
      (processID, creator) => [processID, creator],
    ],
    ['account was blocked', 'UPDATE account SET blocked = 1 WHERE account_id = ?', (_, creator) => [creator]],
  ])(
    'a schedule whose creator may no longer schedule the process is skipped with FORBIDDEN once the %s, while those of the owner fire',
    async (_, sql, parameters) => {
      const { at, creator, id, ofOwner } = await makeProcessSharedForSchedules();
      await world.store.write(sql, parameters(at.processID, creator));
      await world.setClock('2026-11-20T12:00:00Z');
      expect(await untilFirings(world, at, id, areSettled)).toMatchObject([FORBIDDEN]);
      expect(resultsOf(await untilFirings(world, at, ofOwner, areSettled))).toEqual(['12:00 fired']);
      expect(world.execution.startsOf(at.processID)).toHaveLength(1);
    },
  );

  test('a schedule of a creator with a share fires while the share has the permission', async () => {
    const { at, id } = await makeProcessSharedForSchedules();
    await world.setClock('2026-11-20T12:00:00Z');
    expect(resultsOf(await untilFirings(world, at, id, areSettled))).toEqual(['12:00 fired']);
  });

  test('a schedule whose creator may no longer schedule the process is skipped before its first attempt, and never after an attempt that execution may have accepted', async () => {
    const { at, creator, id } = await makeProcessSharedForSchedules();
    await world.store.write(`DELETE FROM process_share WHERE ${OF_SHARE}`, [at.processID, creator]);
    const pending = `INSERT INTO schedule_firing (schedule_id, nominal_at, instance_id, result, attempts, next_attempt_at,
       expires_at) VALUES (?, ?, ?, 'pending', ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL 600 SECOND)`;
    const [recorded, attempted] = [uuid(), uuid()];
    await world.store.write(pending, [id, new Date('2026-11-20T11:58:00Z'), recorded, 0]);
    await world.store.write(pending, [id, new Date('2026-11-20T11:59:00Z'), attempted, 1]);
    const firings = await untilFirings(world, at, id, (all) => all.length === 2 && areSettled(all));
    expect(firings).toMatchObject([{ instanceID: attempted, result: 'fired' }, FORBIDDEN]);
    expect(world.execution.startsOf(at.processID).map(({ instanceID }) => instanceID)).toEqual([attempted]);
  });
});

test('three replicas fire each nominal time of many schedules once', async () => {
  const at = await registerProcess(world.store);
  const ids = await Promise.all(
    Array.from({ length: 40 }, (_, n) => addSchedule(world, at, { name: `s${n}`, cronExpression: '* * * * *' })),
  );
  const minutes = ['12:00', '12:01', '12:02', '12:03', '12:04'];
  for (const minute of minutes) {
    await world.setClock(`2026-11-20T${minute}:00Z`);
    // The test waits for this firing, because one that starts after the clock has moved on would be late.
    await waitUntil(`the starts of ${minute}`, async () => {
      const time = new Date(`2026-11-20T${minute}:00Z`);
      const due = await world.store.row('SELECT 1 AS due FROM schedule WHERE next_at <= ?', [time]);
      const pending = await world.store.row("SELECT 1 AS due FROM schedule_firing WHERE result = 'pending'");
      return due === undefined && pending === undefined;
    });
  }
  const all = await Promise.all(ids.map((id) => untilFirings(world, at, id, areSettled)));
  for (const firings of all)
    expect(resultsOf(firings)).toEqual(minutes.map((minute) => `${minute} fired`).toReversed());
  const starts = world.execution.startsOf(at.processID);
  expect(starts).toHaveLength(200);
  expect(new Set(all.flat().map(({ instanceID }) => instanceID)).size).toBe(200);
});

test.each([
  ['2026-11-20T12:01:00Z', 'fired'],
  ['2026-11-20T12:01:01Z', 'late'],
  ['2026-11-20T12:10:00Z', 'late'],
])('the firing of 12:00 that starts at %s is %s', async (now, result) => {
  const at = await registerProcess(world.store);
  const id = await addSchedule(world, at);
  await world.setClock(now);
  expect(resultsOf(await untilFirings(world, at, id, areSettled))).toEqual([`12:00 ${result}`]);
});

test('after an outage the newest time of the last ten minutes fires and the others are recorded as missed', async () => {
  const at = await registerProcess(world.store);
  const id = await addSchedule(world, at, { cronExpression: '*/4 * * * *' });
  await world.setClock('2026-11-20T13:00:30Z');
  const firings = await untilFirings(world, at, id, (all) => all.length === 16 && areSettled(all));
  const [newest, ...older] = firings;
  expect(newest).toMatchObject({ nominalAt: '2026-11-20T13:00:00.000Z', result: 'fired' });
  expect(new Set(older.map(({ result, reason }) => `${result} ${reason?.code}`))).toEqual(new Set(['skipped MISSED']));
  expect(
    older
      .map(({ nominalAt }) => nominalAt.slice(14, 16))
      .toReversed()
      .join(' '),
  ).toBe('00 04 08 12 16 20 24 28 32 36 40 44 48 52 56');
  expect(world.execution.startsOf(at.processID)).toHaveLength(1);
});

test('a time missed more than ten minutes ago does not fire', async () => {
  const at = await registerProcess(world.store);
  const id = await addSchedule(world, at);
  await world.setClock('2026-11-20T12:10:01Z');
  expect(await untilFirings(world, at, id, areSettled)).toMatchObject([
    { result: 'skipped', reason: { code: 'MISSED' } },
  ]);
  expect(world.execution.startsOf(at.processID)).toEqual([]);
});

test('every missed minute of two days is recorded while other schedules fire', async () => {
  const [at, other] = [await registerProcess(world.store), await registerProcess(world.store)];
  const id = await addSchedule(world, at, { cronExpression: '* * * * *' });
  await world.setClock('2026-11-22T11:59:30Z');
  const prompt = await addSchedule(world, other);
  await world.setClock('2026-11-22T12:00:00Z');
  expect(resultsOf(await untilFirings(world, other, prompt, areSettled))).toEqual(['12:00 fired']);
  const count = async (where: string) =>
    (
      await world.store.row<{ n: number }>(
        `SELECT COUNT(*) AS n FROM schedule_firing WHERE schedule_id = ? AND ${where}`,
        [id],
      )
    )?.n;
  await waitUntil('all minutes of two days', async () => (await count("result <> 'pending'")) === 2_881);
  expect(await count("result = 'skipped' AND reason_code = 'MISSED'")).toBeGreaterThanOrEqual(2_879);
  expect(world.execution.startsOf(at.processID).length).toBeLessThanOrEqual(2);
});

describe('changes', () => {
  test('a schedule that is changed fires by its new expression with its new values; the times that were due before are those of its old expression', async () => {
    const at = await registerProcess(world.store, { matrix: [{ name: 'total', type: 'Moeda' }] });
    const id = await addSchedule(world, at, { cronExpression: '*/4 * * * *', matrix: { total: '1' } });
    await world.setClock('2026-11-20T12:30:30Z');
    const change = {
      id,
      accountID: at.ownerID,
      changes: { cronExpression: ' 40 * * * * ', matrix: { total: '2,50' } },
    };
    // The change is repeated, as by a client that has lost the answer.
    await world.rpc.call(schedule.change, change);
    await world.rpc.call(schedule.change, change);
    expect(await nextTimeOfSchedule(id)).toEqual(new Date('2026-11-20T12:40:00Z'));
    const before = await untilFirings(world, at, id, (all) => all.length === 8 && areSettled(all));
    const minutes = before.map(({ nominalAt }) => nominalAt.slice(14, 16)).toReversed();
    expect(minutes.join(' ')).toBe('00 04 08 12 16 20 24 28');
    await world.setClock('2026-11-20T12:40:00Z');
    const [newest] = await untilFirings(world, at, id, (all) => all.length === 9 && areSettled(all));
    expect(newest).toMatchObject({ nominalAt: '2026-11-20T12:40:00.000Z', result: 'fired' });
    expect(world.execution.startsOf(at.processID).at(-1)).toMatchObject({ matrix: { total: '2,50' } });
  });

  test('a schedule that is changed shows its firings and its future times by day', async () => {
    const at = await registerProcess(world.store);
    const id = await addSchedule(world, at, { cronExpression: '0 */6 * * *' });
    await world.setClock('2026-11-20T15:00:00Z');
    await untilFirings(world, at, id, areSettled);
    const accountID = at.ownerID;
    const { days } = await world.rpc.call(schedule.calendar, { id, accountID, month: '2026-11' });
    expect(days).toHaveLength(30);
    expect(days.slice(18, 21)).toEqual([
      expect.objectContaining({ day: '2026-11-19', firings: {}, upcoming: [] }),
      {
        day: '2026-11-20',
        from: '2026-11-20T03:00:00.000Z',
        until: '2026-11-21T03:00:00.000Z',
        firings: { fired: 1 },
        upcoming: ['2026-11-20T21:00:00.000Z'],
        moreUpcoming: false,
      },
      expect.objectContaining({ day: '2026-11-21', upcoming: expect.arrayContaining(['2026-11-21T03:00:00.000Z']) }),
    ]);
    const period = { from: days[19]?.from, before: days[19]?.until };
    const ofDay = await world.rpc.call(schedule.firings, { id, accountID, limit: 10, ...period });
    expect(resultsOf(ofDay.firings)).toEqual(['15:00 fired']);
    const ofNext = { from: days[20]?.from, before: days[20]?.until };
    expect(await world.rpc.call(schedule.firings, { id, accountID, limit: 10, ...ofNext })).toEqual({ firings: [] });
    await world.rpc.call(schedule.setActive, { id, accountID, active: false });
    const off = await world.rpc.call(schedule.calendar, { id, accountID, month: '2026-12' });
    expect(off.days.flatMap(({ upcoming }) => upcoming)).toEqual([]);
  });
});

const SKIP_REASONS: [string, RegisterOptions, string][] = [
  ['a paused process', { paused: true }, 'PROCESS_PAUSED'],
  ['a plan that lost scheduling', {}, 'PLAN_FEATURE_UNAVAILABLE'],
];
test.each(SKIP_REASONS)('the firing of %s is skipped: %s', async (_, options, code) => {
  const at = await registerProcess(world.store, options);
  const id = await addSchedule(world, at);
  if (!options.paused) await world.store.write('UPDATE plan SET scheduling = 0 WHERE plan_id = ?', [at.planID]);
  await world.setClock('2026-11-20T12:00:00Z');
  expect(await untilFirings(world, at, id, areSettled)).toMatchObject([
    { result: 'skipped', instanceID: null, reason: { code } },
  ]);
  expect(await nextTimeOfSchedule(id)).toEqual(new Date('2026-11-21T12:00:00Z'));
  expect(world.execution.startsOf(at.processID)).toEqual([]);
});

test('a clock that goes back fires no nominal time twice', async () => {
  const at = await registerProcess(world.store);
  const id = await addSchedule(world, at);
  const { ownerID: accountID } = at;
  await world.setClock('2026-11-20T12:00:00Z');
  await untilFirings(world, at, id, areSettled);
  await world.setClock('2026-11-20T11:00:00Z');
  await world.rpc.call(schedule.setActive, { id, accountID, active: false });
  await world.rpc.call(schedule.setActive, { id, accountID, active: true });
  expect(await nextTimeOfSchedule(id)).toEqual(new Date('2026-11-20T12:00:00Z'));
  await world.setClock('2026-11-20T12:00:05Z');
  await waitUntil(
    'the clock has passed 12:00 again',
    async () => Number(await nextTimeOfSchedule(id)) > Date.parse('2026-11-21'),
  );
  expect(resultsOf(await firingsOf(world, at, id))).toEqual(['12:00 fired']);
  expect(world.execution.startsOf(at.processID)).toHaveLength(1);
});

test('times in a daylight saving gap fire once, at the end of the gap', async () => {
  await world.setClock('2018-11-04T02:59:00Z');
  const at = await registerProcess(world.store);
  const id = await addSchedule(world, at, { cronExpression: '0,30 0 * * *' });
  await world.setClock('2018-11-04T03:00:01Z');
  const [firing, ...more] = await untilFirings(world, at, id, areSettled);
  expect([firing?.nominalAt, firing?.result, more]).toEqual(['2018-11-04T03:00:00.000Z', 'fired', []]);
  expect(await nextTimeOfSchedule(id)).toEqual(new Date('2018-11-05T02:00:00Z'));
});

test('the metrics count firings by result', async () => {
  const text = await (await fetch(`${world.metricsURL}/metrics`)).text();
  // The firings of the tests above may be counted by any of the replicas.
  expect(text).toMatch(/batuta_firings_total\{[^}]*result="(fired|late|skipped)"[^}]*\} \d+/);
  expect(text).toMatch(/batuta_firings_pending\{[^}]*\} \d+/);
});
