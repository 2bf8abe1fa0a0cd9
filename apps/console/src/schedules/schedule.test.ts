import { waitUntil } from '../../../../test/support/wait-until';
import { FakeSchedule } from '../../test/fake-schedule';
import { NOBODY, processOf, sharedWith } from '../../test/processes';
import { createWorld, type World } from '../../test/world';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const { schedule, firing, time } = FakeSchedule;

test('schedules are listed page by page for the owner of the process and for a share with `schedule`', async () => {
  const ana = await world.person();
  const pid = await processOf(ana);
  const bia = await sharedWith(world, ana, pid, { schedule: true });
  const after = schedule.id;
  for (const person of [ana, bia]) {
    expect(await person.must('GET', `/processes/${pid}/schedules`)).toEqual({
      schedules: [schedule],
      newer: { after },
    });
    expect(await person.must('GET', `/processes/${pid}/schedules?after=${after}`)).toEqual({ schedules: [schedule] });
    expect(world.fakeSchedule.requests.slice(-2)).toEqual([{ processID: pid }, { processID: pid, after }]);
  }
});

test('schedules are hidden from a share without `schedule` and from accounts without a share', async () => {
  const ana = await world.person();
  const pid = await processOf(ana);
  const bia = await sharedWith(world, ana, pid, { execute: true, edit: true });
  expect(await bia.refusal('GET', `/processes/${pid}/schedules`)).toMatchObject({ error: '403 FORBIDDEN' });
  const carla = await world.person();
  expect(await carla.refusal('GET', `/processes/${pid}/schedules`)).toMatchObject({ error: '404 PROCESS_NOT_FOUND' });
  expect(await ana.refusal('GET', '/processes/x/schedules')).toMatchObject({ error: '400 INVALID_PROCESS_ID' });
});

test('the firings of a schedule are requested in the name of the account', async () => {
  const ana = await world.person();
  const path = `/schedules/${schedule.id}/firings`;
  expect(await ana.must('GET', path)).toEqual({ firings: [firing], older: { before: firing.nominalAt } });
  expect(world.fakeSchedule.requests.at(-1)).toEqual({ id: schedule.id, accountID: ana.id, limit: 100 });
  await ana.must('GET', `${path}?limit=5&before=2026-11-20T06:00:00Z`);
  expect(world.fakeSchedule.requests.at(-1)).toMatchObject({ limit: 5, before: '2026-11-20T06:00:00Z' });
});

test.each([
  ['limit=0', '400 BAD_REQUEST'],
  ['limit=501', '400 BAD_REQUEST'],
  ['before=yesterday', '400 BAD_REQUEST'],
  ['after=1', '400 BAD_REQUEST'],
])('firings with the query ?%s are refused', async (query, error) => {
  const ana = await world.person();
  expect(await ana.refusal('GET', `/schedules/${schedule.id}/firings?${query}`)).toMatchObject({ error });
});

test.each([NOBODY, 'x'])('the firings of the unknown schedule %s are SCHEDULE_NOT_FOUND', async (id) => {
  const ana = await world.person();
  expect(await ana.refusal('GET', `/schedules/${id}/firings`)).toMatchObject({ error: '404 SCHEDULE_NOT_FOUND' });
});

test('a preview shows the next times of a cron expression', async () => {
  const ana = await world.person();
  expect(await ana.must('POST', '/schedules/preview', { cronExpression: '0 3 * * *' })).toEqual({ times: [time] });
});

test.each([
  [{ cronExpression: 'daily' }, '400 INVALID_CRON', /^cronExpression:/],
  [{}, '400 BAD_REQUEST', /^cronExpression:/],
  [{ cronExpression: 5 }, '400 BAD_REQUEST', /^cronExpression:/],
  [{ cronExpression: '0 3 * * *', zone: 'UTC' }, '400 BAD_REQUEST', /^zone:/],
])('a preview of %j is refused', async (body, error, message) => {
  const ana = await world.person();
  expect(await ana.refusal('POST', '/schedules/preview', body)).toEqual({
    error,
    message: expect.stringMatching(message),
  });
});

test('deleting a process notifies the other services', async () => {
  const ana = await world.person();
  const pid = await processOf(ana);
  await ana.must('DELETE', `/processes/${pid}`);
  const notified = world.fakeSchedule.deletedProcesses;
  await waitUntil('the notification arrives', async () => notified.length > 0);
  expect(notified).toEqual([pid]);
});
