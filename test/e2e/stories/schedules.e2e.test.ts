import type { Store } from '@batuta/database';
import * as s from '../../support/shape';
import { openTestStore } from '../support/stack/database';
import { callAsOperator, makeOwner, makeProcess, type Owner, type Process } from '../support/tenants/factories';
import { untilEnded } from '../support/tenants/instances';
import { startStack } from '../support/stack/in-process-stack';
import type { Stack } from '../support/stack/stack';
import { until } from '../support/until';

// Schedules as third parties and owners use them, with real services.

const createdShape = s.object({ id: s.text() });
const scheduleListShape = s.object({ schedules: s.list(s.dictionary(s.anything)) });
const firingsShape = s.object({
  firings: s.list(
    s.object({
      nominalAt: s.text(),
      result: s.text(),
      instanceID: s.text().nullable(),
      reason: s.object({ code: s.text() }).nullable(),
    }),
  ),
});
type Firing = s.Infer<typeof firingsShape>['firings'][number];

const MINUTE_MS = 60_000;

/** The minute in which the tests began. It is not read when the file is loaded, which may be long before, so that the firing would be missed. */
let nominalTime: Date;
/** A daily schedule for that minute, which does not fire by itself during the test because its next time is tomorrow. */
let dailySchedule: { name: string; cronExpression: string };
let stack: Stack;
let store: Store;

beforeAll(async () => {
  stack = await startStack();
  store = await openTestStore(stack.databaseUrl);
  nominalTime = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS);
  const [hour, minute] = nominalTime.toLocaleTimeString('en-GB', { timeZone: 'America/Sao_Paulo' }).split(':');
  dailySchedule = { name: 'Daily', cronExpression: `${minute} ${hour} * * *` };
});

afterAll(async () => {
  await store?.close();
  await stack?.stop();
});

async function addSchedule(by: Owner, { processID, processKey }: Process, body: object = {}): Promise<string> {
  const answer = await by.api('POST', '/schedules', { processKey, body: { processID, ...dailySchedule, ...body } });
  expect([answer.status, answer.body]).toEqual([201, { id: expect.any(String) }]);
  return createdShape.parse(answer.body).id;
}

/** Moves the next nominal time of the schedule back to this minute, so that it is due. */
async function makeDue(id: string): Promise<void> {
  await store.write('UPDATE schedule SET next_at = ? WHERE schedule_id = ?', [nominalTime, id]);
}

/** Makes the schedule due and returns its firing. */
async function firingOf(owner: Owner, id: string): Promise<Firing> {
  await makeDue(id);
  const found = await until(
    async () => firingsShape.parse(await owner.manage('GET', `/schedules/${id}/firings`)).firings,
    ([firing]) => firing !== undefined && firing.result !== 'pending',
  );
  expect(found).toHaveLength(1);
  const [firing] = found;
  expect(firing?.nominalAt).toBe(nominalTime.toISOString());
  if (!firing) throw new Error('there is no firing');
  return firing;
}

const listSchedules = async (owner: Owner) =>
  scheduleListShape.parse((await owner.api('GET', '/schedules')).body).schedules;

test('a schedule created through a share starts as the owner, under the name of the schedule, until it is switched off', async () => {
  const process = await makeProcess(stack, { matrix: [{ name: 'total', type: 'Moeda' }] });
  const { owner, processID, environment } = process;
  const creator = await makeOwner(stack);
  await owner.manage('PUT', `/processes/${processID}/shares/${creator.email}`, { schedule: true });
  const id = await addSchedule(creator, process, { matrix: { total: 'R$ 10,50' } });
  await stack.startAgent(environment);

  const item = {
    id,
    ...dailySchedule,
    processID,
    processName: expect.any(String),
    active: true,
    userName: creator.label,
    matrix: { total: 'R$ 10,50' },
    environmentID: environment.environmentID,
  };
  expect(await listSchedules(creator)).toEqual([item]);
  expect(await listSchedules(owner)).toEqual([item]);

  const firing = await firingOf(owner, id);
  expect(['fired', 'late']).toContain(firing.result);
  const instance = await untilEnded(owner, firing.instanceID ?? '');
  expect(instance).toMatchObject({ processID, status: 'success' });
  const row = await store.row(
    'SELECT trigger_kind, user_name, executor, starter_account_id FROM instance WHERE instance_id = ?',
    [firing.instanceID],
  );
  const ownerID = (
    await store.row<{ account_id: string }>('SELECT account_id FROM process WHERE process_id = ?', [processID])
  )?.account_id;
  expect(row).toEqual({
    trigger_kind: 'schedule',
    user_name: 'Daily',
    executor: process.identifier,
    starter_account_id: ownerID,
  });
  const credits = await store.row('SELECT balance FROM credit_account WHERE company_id = ?', [owner.company.companyID]);
  expect(credits).toEqual({ balance: 999 });

  const off = await owner.api('PATCH', `/schedules/${id}`, { body: { active: false } });
  expect([off.status, off.body]).toEqual([200, { id, active: false }]);
  expect(await listSchedules(creator)).toMatchObject([{ id, active: false }]);
  const stranger = await makeOwner(stack);
  expect(await stranger.api('DELETE', `/schedules/${id}`)).toMatchObject({ status: 404 });
  expect(await creator.api('DELETE', `/schedules/${id}`)).toMatchObject({ status: 200, body: { ok: true } });
  expect(await creator.api('DELETE', `/schedules/${id}`)).toMatchObject({ status: 404 });
  expect(await listSchedules(owner)).toEqual([]);
});

test('an unpublished process can be scheduled; its firing shows why it failed and costs no credit', async () => {
  const process = await makeProcess(stack, { flow: null });
  const id = await addSchedule(process.owner, process);
  const firing = await firingOf(process.owner, id);
  expect(firing).toMatchObject({ result: 'failed', reason: { code: 'PROCESS_NOT_PUBLISHED' } });
  const instances = await store.rows('SELECT 1 FROM instance WHERE process_id = ?', [process.processID]);
  expect(instances).toEqual([]);
});

test('values are converted again at each firing', async () => {
  const process = await makeProcess(stack, { matrix: [{ name: 'total', type: 'Moeda' }] });
  const { owner, processID } = process;
  const id = await addSchedule(owner, process, { matrix: { total: '10,50' } });
  await owner.manage('PUT', `/processes/${processID}/matrix`, { matrix: [{ name: 'amount', type: 'Moeda' }] });
  const firing = await firingOf(owner, id);
  expect(firing).toMatchObject({ result: 'failed', reason: { code: 'INVALID_MATRIX' } });
});

test('a schedule stays when the plan loses scheduling, shows it, fires nothing, and can be switched on again when the plan allows it', async () => {
  const process = await makeProcess(stack);
  const { owner } = process;
  const plan = `/plans/${owner.company.planID}`;
  const id = await addSchedule(owner, process);
  await callAsOperator(stack, 'PATCH', plan, { scheduling: false });

  expect(await listSchedules(owner)).toMatchObject([{ id, active: true, unavailable: 'OWNER_PLAN_NO_SCHEDULING' }]);
  const refused = { status: 402, body: { error: { code: 'PLAN_FEATURE_UNAVAILABLE' } } };
  const { processID, processKey } = process;
  const body = { processID, ...dailySchedule };
  expect(await owner.api('POST', '/schedules', { processKey, body })).toMatchObject(refused);
  expect(await firingOf(owner, id)).toMatchObject({
    result: 'skipped',
    reason: { code: 'PLAN_FEATURE_UNAVAILABLE' },
  });
  const change = (active: boolean) => owner.api('PATCH', `/schedules/${id}`, { body: { active } });
  expect(await change(true)).toMatchObject(refused);
  expect((await change(false)).status).toBe(200);
  expect(await change(true)).toMatchObject(refused);

  await callAsOperator(stack, 'PATCH', plan, { scheduling: true });
  expect((await change(true)).status).toBe(200);
  const [only] = await listSchedules(owner);
  expect(only).toMatchObject({ active: true });
  expect(only).not.toHaveProperty('unavailable');
});

test('the schedules of a paused process do not fire, and those of a deleted process are removed', async () => {
  const process = await makeProcess(stack);
  const { owner, processID } = process;
  const id = await addSchedule(owner, process);
  await owner.manage('PATCH', `/processes/${processID}`, { paused: true });
  expect(await firingOf(owner, id)).toMatchObject({
    result: 'skipped',
    reason: { code: 'PROCESS_PAUSED' },
  });
  await owner.manage('DELETE', `/processes/${processID}`);
  await until(
    () => store.rows('SELECT 1 FROM schedule WHERE schedule_id = ?', [id]),
    (rows) => rows.length === 0,
  );
});

test('owners see the schedules of a process, and the next times of an expression', async () => {
  const process = await makeProcess(stack);
  const { owner, processID } = process;
  const id = await addSchedule(owner, process, { active: false });
  const shown = scheduleListShape.parse(await owner.manage('GET', `/processes/${processID}/schedules`));
  expect(shown.schedules).toMatchObject([{ id, active: false }]);
  const preview = await owner.manage('POST', '/schedules/preview', { cronExpression: '30 8 * * *' });
  const { times } = s.object({ times: s.list(s.object({ at: s.text(), local: s.text() })) }).parse(preview);
  expect(times).toHaveLength(10);
  for (const { local } of times) expect(local).toMatch(/T08:30:00-0[23]:00$/);
});
