import { registerProcess } from '../../test/registry';
import { nextTimeOf } from '../../test/schedules';
import { addSchedule, areSettled, startWorld, untilFirings, type ScheduleWorld } from '../../test/world';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await startWorld({ clock: '2026-11-20T11:59:30Z' });
});
afterAll(() => world?.close());

beforeEach(async () => {
  await world.store.write('DELETE FROM schedule');
  await world.setClock('2026-11-20T11:59:30Z');
});

/** Stores an expression as an earlier release may have, which accepted more. */
async function storeExpression(id: string, expression: string): Promise<void> {
  await world.store.write('UPDATE schedule SET cron_expression = ? WHERE schedule_id = ?', [expression, id]);
}

test('a schedule whose stored expression is refused is skipped with INVALID_CRON and fires no more, while the others fire', async () => {
  const at = await registerProcess(world.store);
  const [refused, other] = [await addSchedule(world, at), await addSchedule(world, at)];
  await storeExpression(refused, '0 9 L * *');
  await world.setClock('2026-11-20T12:00:00Z');
  expect(await untilFirings(world, at, other, areSettled)).toMatchObject([{ result: 'fired' }]);
  expect(await untilFirings(world, at, refused, areSettled)).toMatchObject([
    {
      nominalAt: '2026-11-20T12:00:00.000Z',
      result: 'skipped',
      instanceID: null,
      reason: { code: 'INVALID_CRON', message: expect.stringContaining('the field "day of month" has "L"') },
    },
  ]);
  expect(await nextTimeOf(world, refused)).toBeNull();
});

test('missed times of a refused expression do not keep those of other schedules from being recorded', async () => {
  const at = await registerProcess(world.store);
  const [refused, other] = [await addSchedule(world, at), await addSchedule(world, at)];
  await storeExpression(refused, '0 9 L * *');
  for (const id of [refused, other]) {
    await world.store.write(
      `INSERT INTO schedule_backlog (schedule_id, from_at, until_at) VALUES (?, '2026-11-18 00:00:00', '2026-11-19 00:00:00')`,
      [id],
    );
  }
  expect(await untilFirings(world, at, other, areSettled)).toMatchObject([
    { nominalAt: '2026-11-18T12:00:00.000Z', result: 'skipped', reason: { code: 'MISSED' } },
  ]);
});
