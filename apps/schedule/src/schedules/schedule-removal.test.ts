import { notifications, schedule } from '@batuta/contracts';
import { waitUntil } from '../../../../test/support/wait-until';
import { registerProcess } from '../../test/registry';
import { addSchedule, startWorld, type ScheduleWorld } from '../../test/world';
import { removeOldFirings } from '../firing/firing.repository';
import { removeSchedulesOfDeletedProcess } from './schedule-removal';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await startWorld({ replicas: 2 });
});
afterAll(() => world?.close());

const addProcess = () => registerProcess(world.store);
const rowExists = async (table: string, id: string) =>
  (await world.store.row(`SELECT 1 AS found FROM ${table} WHERE schedule_id = ?`, [id])) !== undefined;

test('a schedule is removed with its firings', async () => {
  const registered = await addProcess();
  const id = await addSchedule(world, registered, { active: false });
  await world.store.write(
    "INSERT INTO schedule_firing (schedule_id, nominal_at, result) SELECT ?, NOW(3) + INTERVAL seq SECOND, 'fired' FROM seq_1_to_1200",
    [id],
  );
  await world.rpc.call(schedule.remove, { id, accountID: registered.ownerID });
  expect(await rowExists('schedule', id)).toBe(false);
  await waitUntil('its firings are removed', async () => !(await rowExists('schedule_firing', id)));
});

test('the removal of a schedule is answered before its firings are removed, of which there may be very many', async () => {
  const registered = await addProcess();
  const id = await addSchedule(world, registered, { active: false });
  await world.store.write("INSERT INTO schedule_firing (schedule_id, nominal_at, result) VALUES (?, NOW(3), 'fired')", [
    id,
  ]);
  await world.store.transaction(async (tx) => {
    await tx.rows('SELECT 1 FROM schedule_firing WHERE schedule_id = ? FOR UPDATE', [id]);
    const removed = world.rpc.call(schedule.remove, { id, accountID: registered.ownerID }, { timeout: 10_000 });
    expect(await removed).toEqual({ ok: true });
  });
  await waitUntil('its firings are removed', async () => !(await rowExists('schedule_firing', id)));
});

test.each([
  ['by its notification', true],
  ['by a sweep', false],
])('schedules of a deleted process are removed %s', async (_, notified) => {
  const [registered, kept] = [await addProcess(), await addProcess()];
  const [id, other] = [await addSchedule(world, registered), await addSchedule(world, kept)];
  await world.store.write('DELETE FROM process WHERE process_id = ?', [registered.processID]);
  if (notified) world.rpc.notify(notifications.processDeleted, { processID: registered.processID });
  await waitUntil('the schedule is removed', async () => !(await rowExists('schedule', id)));
  expect(await rowExists('schedule', other)).toBe(true);
});

test('a process that still exists keeps its schedules after a notification of its deletion', async () => {
  const registered = await addProcess();
  const id = await addSchedule(world, registered);
  expect(await removeSchedulesOfDeletedProcess(world.store, registered.processID)).toBe(0);
  expect(await rowExists('schedule', id)).toBe(true);
});

test('final firings are removed after their retention, pending firings never', async () => {
  const registered = await addProcess();
  const id = await addSchedule(world, registered, { active: false });
  const insert = `INSERT INTO schedule_firing (schedule_id, nominal_at, result, next_attempt_at)
    VALUES (?, UTC_TIMESTAMP(3) - INTERVAL ? DAY, ?, UTC_TIMESTAMP(3) + INTERVAL ? HOUR)`;
  await world.store.write(insert, [id, 31, 'fired', null]);
  await world.store.write(insert, [id, 29, 'skipped', null]);
  await world.store.write(insert, [id, 32, 'pending', 1]);
  await removeOldFirings(world.store, 30);
  const { firings } = await world.rpc.call(schedule.firings, { id, accountID: registered.ownerID, limit: 10 });
  expect(firings.map(({ result }) => result)).toEqual(['skipped', 'pending']);
});
