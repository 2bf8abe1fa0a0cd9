import { registerProcess } from '../../test/registry';
import { addSchedule, areSettled, startWorld, untilFirings, type ScheduleWorld } from '../../test/world';

/** All that jest can replace besides `Date`. */
const REAL_TIMERS = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

let world: ScheduleWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(() => void jest.useRealTimers());
afterAll(() => world?.close());

test('a missed time is recorded with the time of the database, whatever the clock of the machine says', async () => {
  const at = await registerProcess(world.store);
  const id = await addSchedule(world, at, { cronExpression: '5 12 * * *' });
  jest.useFakeTimers({ now: new Date('2001-01-01T00:00:00Z'), doNotFake: [...REAL_TIMERS] });
  await world.setClock('2026-11-21T12:00:00Z');
  await untilFirings(world, at, id, areSettled);
  const row = await world.store.row<{ hours: number }>(
    `SELECT TIMESTAMPDIFF(HOUR, settled_at, UTC_TIMESTAMP(3)) AS hours FROM schedule_firing
      WHERE schedule_id = ? AND reason_code = 'MISSED'`,
    [id],
  );
  expect(row).toEqual({ hours: 0 });
});
