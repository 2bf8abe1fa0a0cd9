import type { Run, Statistics } from '@batuta/contracts';
import { FakeExecution } from '../../test/fake-execution';
import { UNKNOWN_ID, addEnvironment, addProcess, addShareHolder } from '../../test/processes';
import { createWorld, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const { run, statistics } = FakeExecution;
/** Later than the beginning of every day on which the test runs. */
const LATER = '9999-01-01T00:00:00.000Z';
const PERIOD = 'from=2026-11-01T00:00:00Z&to=2026-11-20T00:00:00Z';

test('the list of runs is requested on behalf of the account, with every filter', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  expect(await ana.must('GET', '/runs')).toEqual({ runs: [run], older: { before: 'cursor' } });
  expect(world.fakeExecution.runRequests.at(-1)).toEqual({ accountID: ana.id, filter: {}, limit: 100 });
  const cursor = `1763640000000.${UNKNOWN_ID}`;
  const query = `process=${pid}&status=error,terminated&trigger=schedule&environment=${UNKNOWN_ID}&${PERIOD}&limit=5&before=${cursor}`;
  await ana.must('GET', `/runs?${query}`);
  expect(world.fakeExecution.runRequests.at(-1)).toEqual({
    accountID: ana.id,
    filter: {
      processID: pid,
      statuses: ['error', 'terminated'],
      triggers: ['schedule'],
      environmentID: UNKNOWN_ID,
      from: '2026-11-01T00:00:00Z',
      to: '2026-11-20T00:00:00Z',
    },
    limit: 5,
    before: cursor,
  });
});

test.each([
  ['runs', 'status=failed'],
  ['runs', 'status='],
  ['runs', 'trigger=cron'],
  ['runs', 'process=x'],
  ['runs', 'environment[a]=x'],
  ['runs', 'from=yesterday'],
  ['runs', `before=${UNKNOWN_ID}`],
  ['runs', 'limit=501'],
  ['runs', 'sort=up'],
  ['statistics', ''],
  ['statistics', `${PERIOD}&by=minute`],
  ['statistics', 'from=2026-11-01T00:00:00Z'],
])('%s with the query ?%s is refused', async (list, query) => {
  const ana = await world.addPerson();
  expect(await ana.refusal('GET', `/${list}?${query}`)).toMatchObject({ error: '400 BAD_REQUEST' });
});

test('the runs of one process are shown to accounts with access to it, and its statistics only to the owner', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const [bia, carla] = [await addShareHolder(world, ana, pid, { edit: true }), await world.addPerson()];
  const unknown = { error: '404 PROCESS_NOT_FOUND' };
  await bia.must('GET', `/runs?process=${pid}`);
  expect(world.fakeExecution.runRequests.at(-1)?.accountID).toBe(bia.id);
  expect(await carla.refusal('GET', `/runs?process=${pid}`)).toMatchObject(unknown);
  const path = `/statistics?${PERIOD}&by=hour&process=${pid}`;
  expect(await ana.must('GET', path)).toEqual(statistics);
  expect(world.fakeExecution.statisticsRequests.at(-1)).toEqual({
    accountID: ana.id,
    from: '2026-11-01T00:00:00Z',
    to: '2026-11-20T00:00:00Z',
    by: 'hour',
    processID: pid,
  });
  expect(await bia.refusal('GET', path)).toMatchObject({ error: '403 FORBIDDEN' });
  expect(await carla.refusal('GET', path)).toMatchObject(unknown);
});

test('the start page shows active and failed instances, the environments with their queues and agents, and the credits', async () => {
  const ana = await world.addPerson();
  const environmentID = await addEnvironment(ana);
  world.fakeExecution.balances.set(ana.companyID, 42);
  await world.store.write(
    `INSERT INTO agent_session (session_id, environment_id, router_id, agent_name, runtime_version, abilities, capacity,
       connected_at, lease_until) VALUES (UUID(), ?, 'r', 'a', '1', '[]', 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL 1 HOUR)`,
    [environmentID],
  );
  expect(await ana.must('GET', '/home')).toEqual({
    active: [run],
    activeCounts: { queued: { count: 1, more: true }, running: { count: 1, more: true } },
    failed: [run],
    today: statistics,
    environments: [{ environmentID, name: 'Robots', agents: 1, queued: 2, running: 1 }],
    credits: { balance: 42, monthly: 100 },
  });
  const requests = world.fakeExecution.runRequests.slice(-4);
  expect(requests.map(({ accountID, filter, limit, before }) => [accountID, filter.statuses, limit, before])).toEqual([
    [ana.id, ['queued', 'unknown', 'running'], 20, undefined],
    [ana.id, ['queued'], 100, undefined],
    [ana.id, ['unknown', 'running'], 100, undefined],
    [ana.id, ['error', 'terminated'], 100, undefined],
  ]);
  expect(requests.at(-1)?.filter.triggers?.toSorted()).toEqual(['api', 'manual', 'schedule', 'webhook']);
  const counted = world.fakeExecution.statisticsRequests.at(-1);
  expect(counted).toMatchObject({ from: expect.stringMatching(/T03:00:00\.000Z$/), asListed: true });
  expect(requests.at(-1)?.filter.from).toBe(counted?.from);
  const other = await world.addPerson();
  expect(await other.must('GET', '/home')).toMatchObject({ environments: [], credits: { balance: 0 } });
});

const countedFailures = (failures: number, since = statistics.since): Statistics => ({
  ...statistics,
  outcomes: { ...statistics.outcomes, ERROR: failures },
  since,
});

test.each([
  ['asks for no list when no run of today has failed', countedFailures(0), []],
  ['ends the search with the last failure of today', countedFailures(1), [undefined]],
  ['searches on while the statistics count a failure that no page had', countedFailures(2), [undefined, 'cursor']],
  ['searches on when the statistics do not count the whole day', countedFailures(0, LATER), [undefined, 'cursor']],
])('the start page %s', async (_, counted, pages) => {
  const ana = await world.addPerson();
  world.fakeExecution.statisticsReply = counted;
  try {
    await ana.must('GET', '/home');
  } finally {
    world.fakeExecution.statisticsReply = statistics;
  }
  const requests = world.fakeExecution.runRequests.filter(
    ({ accountID, filter }) => accountID === ana.id && filter.statuses?.includes('error'),
  );
  expect(requests.map(({ before }) => before)).toEqual(pages);
});

test('the start page shows the newest 20 failed instances of those that failed or were terminated, also behind a page of terminated ones', async () => {
  const ana = await world.addPerson();
  const [terminated, mixed] = [100, 50].map((length) =>
    Array.from({ length }, (_, n): Run => {
      const instanceID = `01920000-0000-7000-8000-${String(length + n).padStart(12, '0')}`;
      return {
        ...run,
        instanceID,
        ...((length === 100 || n % 2 === 0) && { status: 'terminated', outcome: 'TERMINATED' }),
      };
    }),
  );
  Object.assign(world.fakeExecution, {
    runsOfFirstPage: terminated,
    runsOfLastPage: mixed,
    statisticsReply: countedFailures(25),
  });
  try {
    const { failed } = await ana.must('GET', '/home');
    expect(failed).toEqual(mixed?.filter(({ status }) => status === 'error').slice(0, 20));
  } finally {
    Object.assign(world.fakeExecution, { runsOfFirstPage: [run], runsOfLastPage: [], statisticsReply: statistics });
  }
});
