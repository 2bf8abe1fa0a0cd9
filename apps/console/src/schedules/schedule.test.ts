import { waitUntil } from '../../../../test/support/wait-until';
import { FakeSchedule } from '../../test/fake-schedule';
import { UNKNOWN_ID, addProcess, addShareHolder, callerOf } from '../../test/processes';
import { createWorld, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const { schedule, firing, time } = FakeSchedule;

test('schedules are listed page by page for the owner of the process and for a share with `schedule`', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const bia = await addShareHolder(world, ana, pid, { schedule: true });
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
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const bia = await addShareHolder(world, ana, pid, { execute: true, edit: true });
  expect(await bia.refusal('GET', `/processes/${pid}/schedules`)).toMatchObject({ error: '403 FORBIDDEN' });
  const carla = await world.addPerson();
  expect(await carla.refusal('GET', `/processes/${pid}/schedules`)).toMatchObject({ error: '404 PROCESS_NOT_FOUND' });
  expect(await ana.refusal('GET', '/processes/x/schedules')).toMatchObject({ error: '400 INVALID_PROCESS_ID' });
});

test('the firings of a schedule are requested on behalf of the account', async () => {
  const ana = await world.addPerson();
  const path = `/schedules/${schedule.id}/firings`;
  expect(await ana.must('GET', path)).toEqual({ firings: [firing], older: { before: firing.nominalAt } });
  expect(world.fakeSchedule.requests.at(-1)).toEqual({ id: schedule.id, accountID: ana.id, limit: 100 });
  await ana.must('GET', `${path}?limit=5&from=2026-11-19T06:00:00Z&before=2026-11-20T06:00:00Z`);
  const period = { from: '2026-11-19T06:00:00Z', before: '2026-11-20T06:00:00Z' };
  expect(world.fakeSchedule.requests.at(-1)).toMatchObject({ limit: 5, ...period });
});

test.each([
  ['limit=0', '400 BAD_REQUEST'],
  ['limit=501', '400 BAD_REQUEST'],
  ['before=yesterday', '400 BAD_REQUEST'],
  ['from=yesterday', '400 BAD_REQUEST'],
  ['after=1', '400 BAD_REQUEST'],
])('firings with the query ?%s are refused', async (query, error) => {
  const ana = await world.addPerson();
  expect(await ana.refusal('GET', `/schedules/${schedule.id}/firings?${query}`)).toMatchObject({ error });
});

test.each([UNKNOWN_ID, 'x'])('the firings of the unknown schedule %s are SCHEDULE_NOT_FOUND', async (id) => {
  const ana = await world.addPerson();
  const refusal = { error: '404 SCHEDULE_NOT_FOUND', message: 'id: no such schedule' };
  expect(await ana.refusal('GET', `/schedules/${id}/firings`)).toEqual(refusal);
});

test('a preview shows the next times of a cron expression', async () => {
  const ana = await world.addPerson();
  expect(await ana.must('POST', '/schedules/preview', { cronExpression: '0 3 * * *' })).toEqual({ times: [time] });
});

test.each([
  [{ cronExpression: 'daily' }, '400 INVALID_CRON', /^cronExpression:/],
  [{}, '400 BAD_REQUEST', /^cronExpression:/],
  [{ cronExpression: 5 }, '400 BAD_REQUEST', /^cronExpression:/],
  [{ cronExpression: '0 3 * * *', zone: 'UTC' }, '400 BAD_REQUEST', /^zone:/],
])('a preview of the next times with the body %j is refused', async (body, error, message) => {
  const ana = await world.addPerson();
  expect(await ana.refusal('POST', '/schedules/preview', body)).toEqual({
    error,
    message: expect.stringMatching(message),
  });
});

test('deleting a process notifies the other services', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  await ana.must('DELETE', `/processes/${pid}`);
  const notified = world.fakeSchedule.deletedProcesses;
  await waitUntil('the notification arrives', async () => notified.length > 0);
  expect(notified).toEqual([pid]);
});

test('a process is scheduled on behalf of the account by its owner and by a share with `schedule`', async () => {
  const ana = await world.addPerson({ name: 'Ana' });
  const pid = await addProcess(ana);
  const bia = await addShareHolder(world, ana, pid, { schedule: true });
  const [carla, eva] = [await addShareHolder(world, ana, pid, { edit: true }), await world.addPerson()];
  const path = `/processes/${pid}/schedules`;
  const body = { name: ' Nightly ', cronExpression: '0 3 * * *', matrix: { total: '1,50' } };
  for (const person of [ana, bia]) {
    const answer = await person.call('POST', path, body);
    const creation = world.fakeSchedule.creations.at(-1);
    expect([answer.status, answer.body]).toEqual([201, { id: creation?.id }]);
    expect(creation).toEqual({
      id: expect.any(String),
      deadline: expect.any(Number),
      processID: pid,
      creator: { ...callerOf(person), label: 'Ana' },
      executor: person.email,
      draft: { name: 'Nightly', cronExpression: '0 3 * * *', matrix: { total: '1,50' }, active: true },
    });
  }
  const made = world.fakeSchedule.creations.length;
  expect(await carla.refusal('POST', path, body)).toMatchObject({ error: '403 FORBIDDEN' });
  expect(await eva.refusal('POST', path, body)).toMatchObject({ error: '404 PROCESS_NOT_FOUND' });
  for (const [wrong, error] of [
    [{ ...body, name: '' }, '400 BAD_REQUEST'],
    [{ ...body, active: 'yes' }, '400 BAD_REQUEST'],
    [{ ...body, environmentID: 'x' }, '400 BAD_REQUEST'],
    [{ ...body, next: 1 }, '400 BAD_REQUEST'],
  ] as const) {
    expect(await ana.refusal('POST', path, wrong)).toMatchObject({ error });
  }
  expect(world.fakeSchedule.creations).toHaveLength(made);
  expect(await ana.refusal('POST', path, { ...body, cronExpression: 'daily' })).toMatchObject({
    error: '400 INVALID_CRON',
  });
});

test('a schedule may name the time zone in which every expression is read, and no other one', async () => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana)}/schedules`;
  const body = { name: 'Nightly', cronExpression: '0 3 * * *' };
  expect(await ana.refusal('POST', path, { ...body, timeZone: 'UTC' })).toEqual({
    error: '400 BAD_REQUEST',
    message: 'timeZone: must be America/Sao_Paulo: every cronExpression is read in it',
  });
  expect((await ana.call('POST', path, { ...body, timeZone: 'America/Sao_Paulo' })).status).toBe(201);
});

test('the creation of a schedule without an answer is repeated with the same id', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const made = world.fakeSchedule.creations.length;
  world.fakeSchedule.unanswered = 1;
  const { id } = await ana.must('POST', `/processes/${pid}/schedules`, { name: 'N', cronExpression: '0 3 * * *' });
  const sent = world.fakeSchedule.creations.slice(made);
  expect(sent.map((creation) => [creation.id, creation.resent])).toEqual([
    [id, undefined],
    [id, true],
  ]);
});

test('the schedules of an account are listed, switched and removed on behalf of the account', async () => {
  const ana = await world.addPerson();
  const accountID = ana.id;
  expect(await ana.must('GET', '/schedules')).toEqual({ schedules: [schedule], newer: { after: schedule.id } });
  expect(await ana.must('GET', `/schedules?after=${schedule.id}`)).toEqual({ schedules: [schedule] });
  expect(world.fakeSchedule.requests.at(-1)).toEqual({ accountID, after: schedule.id });
  const path = `/schedules/${schedule.id}`;
  expect(await ana.must('PUT', `${path}/active`, { active: false })).toEqual({ id: schedule.id, active: false });
  expect(world.fakeSchedule.requests.at(-1)).toEqual({ id: schedule.id, ...callerOf(ana), active: false });
  expect(await ana.must('DELETE', path)).toEqual({ ok: true });
  expect(world.fakeSchedule.requests.at(-1)).toEqual({ id: schedule.id, ...callerOf(ana) });
  expect(await ana.refusal('PUT', `${path}/active`, { active: 1 })).toMatchObject({ error: '400 BAD_REQUEST' });
  for (const id of [UNKNOWN_ID, 'x']) {
    const unknown = { error: '404 SCHEDULE_NOT_FOUND' };
    expect(await ana.refusal('PUT', `/schedules/${id}/active`, { active: true })).toMatchObject(unknown);
    expect(await ana.refusal('DELETE', `/schedules/${id}`)).toMatchObject(unknown);
  }
});

test('a schedule is read, changed and shown by days on behalf of the account', async () => {
  const ana = await world.addPerson();
  const [accountID, path] = [ana.id, `/schedules/${schedule.id}`];
  expect(await ana.must('GET', path)).toEqual(schedule);
  const changes = { cronExpression: '0 4 * * *', matrix: { total: '1,50' }, environmentID: null };
  expect(await ana.must('PATCH', path, { name: ' Early ', ...changes })).toEqual({ id: schedule.id });
  expect(world.fakeSchedule.requests.at(-1)).toEqual({
    id: schedule.id,
    ...callerOf(ana),
    changes: { name: 'Early', ...changes },
  });
  expect(await ana.must('GET', `${path}/calendar?month=2026-11`)).toEqual({ days: [FakeSchedule.day] });
  expect(world.fakeSchedule.requests.at(-1)).toEqual({ id: schedule.id, accountID, month: '2026-11' });
  const made = world.fakeSchedule.requests.length;
  for (const wrong of [
    {},
    { name: '' },
    { cronExpression: 5 },
    { matrix: [] },
    { environmentID: 'x' },
    { active: true },
  ]) {
    expect(await ana.refusal('PATCH', path, wrong)).toMatchObject({ error: '400 BAD_REQUEST' });
  }
  for (const query of ['', '?month=2026-13', '?month=november', '?month=2026-11&zone=UTC']) {
    expect(await ana.refusal('GET', `${path}/calendar${query}`)).toMatchObject({ error: '400 BAD_REQUEST' });
  }
  expect(world.fakeSchedule.requests).toHaveLength(made);
  for (const id of [UNKNOWN_ID, 'x']) {
    const unknown = { error: '404 SCHEDULE_NOT_FOUND' };
    expect(await ana.refusal('GET', `/schedules/${id}`)).toMatchObject(unknown);
    expect(await ana.refusal('PATCH', `/schedules/${id}`, { name: 'N' })).toMatchObject(unknown);
    expect(await ana.refusal('GET', `/schedules/${id}/calendar?month=2026-11`)).toMatchObject(unknown);
  }
});
