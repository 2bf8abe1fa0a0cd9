import { schedule } from '@batuta/contracts';
import { waitUntil } from '../../../../test/support/wait-until';
import { registerProcess, type RegisteredProcess } from '../../test/registry';
import { nextTimeOf } from '../../test/schedules';
import { addSchedule, areSettled, firingsOf, startWorld, untilFirings, type ScheduleWorld } from '../../test/world';

let world: ScheduleWorld;
let at: RegisteredProcess;
beforeAll(async () => {
  world = await startWorld({ replicas: 2 });
  at = await registerProcess(world.store);
});
afterAll(() => world?.close());

beforeEach(async () => {
  await world.store.write('DELETE FROM schedule');
  await world.setClock('2026-11-20T11:00:00Z');
});

/** Stores a next time as the rules of an earlier release of Node gave it. */
async function storeNextTime(id: string, time: string): Promise<void> {
  await world.store.write('UPDATE schedule SET next_at = ? WHERE schedule_id = ?', [new Date(time), id]);
}

const untilNextTime = (id: string, time: string) =>
  waitUntil(`the next time is ${time}`, async () => (await nextTimeOf(world, id))?.toISOString() === time);

// The expression is nine o’clock of the first day of each month; the zone is three hours behind UTC.
test.each([
  ['the zone has daylight saving since', '2026-12-01T13:00:00Z'],
  ['the zone has daylight saving no longer', '2026-12-01T11:00:00Z'],
])('a schedule fires at its local time when the rules of the time zone have changed: %s', async (_, earlier) => {
  const id = await addSchedule(world, at, { cronExpression: '0 9 1 * *' });
  await storeNextTime(id, earlier);
  await untilNextTime(id, '2026-12-01T12:00:00.000Z');
  await world.setClock('2026-12-01T12:00:00Z');
  expect(await untilFirings(world, at, id, areSettled)).toMatchObject([
    { nominalAt: '2026-12-01T12:00:00.000Z', result: 'fired' },
  ]);
});

test('a schedule whose time has passed by the rules of today fires once, at the time of the earlier rules', async () => {
  await world.setClock('2026-12-01T12:30:00Z');
  const [late, other] = [
    await addSchedule(world, at, { cronExpression: '0 9 1 * *' }),
    await addSchedule(world, at, { cronExpression: '0 * * * *' }),
  ];
  await storeNextTime(late, '2026-12-01T13:00:00Z');
  await storeNextTime(other, '2026-12-01T14:00:00Z');
  // The other schedule, which has the larger id, shows that the sweep has passed.
  await untilNextTime(other, '2026-12-01T13:00:00.000Z');
  await world.setClock('2026-12-01T13:00:00Z');
  expect(await untilFirings(world, at, late, areSettled)).toMatchObject([{ nominalAt: '2026-12-01T13:00:00.000Z' }]);
  expect((await nextTimeOf(world, late))?.toISOString()).toBe('2027-01-01T12:00:00.000Z');
});

test('the next time of a schedule that has already fired at an earlier time stays when the clock goes back', async () => {
  const cronExpression = '0 * * * *';
  const [fired, other] = [
    await addSchedule(world, at, { cronExpression }),
    await addSchedule(world, at, { cronExpression }),
  ];
  await world.setClock('2026-11-20T12:00:00Z');
  for (const id of [fired, other]) await untilFirings(world, at, id, areSettled);
  await world.setClock('2026-11-20T11:00:00Z');
  await world.store.write('DELETE FROM schedule_firing WHERE schedule_id = ?', [other]);
  await untilNextTime(other, '2026-11-20T12:00:00.000Z');
  expect((await nextTimeOf(world, fired))?.toISOString()).toBe('2026-11-20T13:00:00.000Z');
  expect(await firingsOf(world, at, fired)).toHaveLength(1);
});

test('a schedule that is switched off gets no next time', async () => {
  const [off, on] = [await addSchedule(world, at), await addSchedule(world, at)];
  await world.rpc.call(schedule.setActive, { id: off, accountID: at.ownerID, active: false });
  await storeNextTime(on, '2026-11-20T13:00:00Z');
  await untilNextTime(on, '2026-11-20T12:00:00.000Z');
  expect(await nextTimeOf(world, off)).toBeNull();
});
