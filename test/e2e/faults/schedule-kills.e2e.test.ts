import type { Store } from '@batuta/database';
import * as s from '../../support/shape';
import { openTestStore } from '../support/stack/database';
import { makeProcess, type Process } from '../support/tenants/factories';
import type { ServiceProcess } from '../support/stack/service-process';
import { startServiceProcesses, type ServiceProcessStack } from '../support/stack/stack';
import { until } from '../support/until';

// Three schedule replicas in separate processes, killed in turn and at fault points, for ten minutes of a clock that runs eight
// times as fast. A minute of this clock is longer than the pauses of a busy machine, so that no nominal time is missed.

const NOMINAL_CLOCK_SPEED = 8;
const NOMINAL_MINUTES = 10;
const SCHEDULE_COUNT = 5;
/** Pause between two kills. At least three kills fit into each minute of the clock, so that every replica dies in every minute. */
const KILL_INTERVAL_MS = 1_400;
/** Two replicas kill themselves at a fault point; their shorter tick makes them lease firings before the third. */
const ARMED_REPLICAS = [
  { BATUTA_FAULT: 'schedule:after-claim', TICK_MS: '60' },
  { BATUTA_FAULT: 'schedule:after-start', TICK_MS: '60' },
  { TICK_MS: '300' },
];

const createdShape = s.object({ id: s.text() });
const scheduleListShape = s.object({ schedules: s.list(createdShape) });

let stack: ServiceProcessStack;
let store: Store;
let process: Process;

beforeAll(async () => {
  const SCHEDULE_TEST_CLOCK = `${new Date().toISOString()}@${NOMINAL_CLOCK_SPEED}`;
  stack = await startServiceProcesses({
    replicas: { schedule: 3, router: 0, webhook: 0 },
    envOf: { schedule: { SCHEDULE_TEST_CLOCK, TICK_MS: '100' } },
  });
  store = await openTestStore(stack.databaseUrl);
  process = await makeProcess(stack);
});

afterAll(async () => {
  await store?.close();
  await stack?.stop();
});

interface FiringRow {
  schedule_id: string;
  nominal_at: Date;
  result: string;
  instance_id: string | null;
  reason_code: string | null;
}

const readFirings = () =>
  store.rows<FiringRow>(
    'SELECT schedule_id, nominal_at, result, instance_id, reason_code FROM schedule_firing ORDER BY schedule_id, nominal_at',
  );
const readInstances = () =>
  store.rows<{ instance_id: string }>('SELECT instance_id FROM instance WHERE process_id = ?', [process.processID]);

async function scheduleEveryMinute(n: number): Promise<string> {
  const { processID, processKey, owner } = process;
  const body = { processID, name: `schedule ${n}`, cronExpression: '* * * * *' };
  const create = () => owner.api('POST', '/schedules', { processKey, body });
  return createdShape.parse((await until(create, ({ status }) => status < 500)).body).id;
}

/** The ids of all schedules; a creation that was repeated after a lost answer made more than one. */
async function listScheduleIDs(): Promise<string[]> {
  const { body } = await until(
    () => process.owner.api('GET', '/schedules'),
    ({ status }) => status < 500,
  );
  return scheduleListShape.parse(body).schedules.map(({ id }) => id);
}

/** Kills replicas in turn, one at a time, and restarts each before the next kill, also those that died at a fault point. */
async function killInTurn(
  replicas: ServiceProcess[],
  over: (deaths: { killed: number; died: number }) => Promise<boolean>,
): Promise<void> {
  const deaths = { killed: 0, died: 0 };
  for (let turn = 0; !(await over(deaths)); turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, KILL_INTERVAL_MS));
    for (const [index, replica] of replicas.entries()) {
      const dead = !replica.isAlive;
      if (!dead && turn % replicas.length !== index) continue;
      deaths[dead ? 'died' : 'killed'] += 1;
      await replica.kill();
      await replica.startAgain(ARMED_REPLICAS[index]);
    }
  }
}

/** Repeats the change until it is confirmed. */
async function switchOff(id: string): Promise<void> {
  await until(
    () => process.owner.api('PATCH', `/schedules/${id}`, { body: { active: false } }),
    ({ status }) => status === 200,
  );
}

test('three schedule replicas under kill -9 fire each minute of ten exactly once', async () => {
  await Promise.all(Array.from({ length: SCHEDULE_COUNT }, (_, n) => scheduleEveryMinute(n)));
  const ids = await listScheduleIDs();
  await killInTurn(stack.services.schedule, async ({ killed, died }) => {
    const rows = await readFirings();
    const countFirings = (id: string) => rows.filter((row) => row.schedule_id === id).length;
    return killed >= 3 && died >= 2 && ids.every((id) => countFirings(id) >= NOMINAL_MINUTES);
  });

  for (const id of ids) await switchOff(id);
  const rows = await until(readFirings, (all) => all.every(({ result }) => result !== 'pending'));
  expect(rows.filter(({ result }) => result !== 'fired' && result !== 'late')).toEqual([]);
  for (const id of ids) {
    const times = rows.filter((row) => row.schedule_id === id).map(({ nominal_at }) => nominal_at.getTime());
    expect(times.length).toBeGreaterThanOrEqual(NOMINAL_MINUTES);
    expect(times).toEqual(times.map((_, minute) => Number(times[0]) + minute * 60_000));
  }
  const started = (await readInstances()).map(({ instance_id }) => instance_id);
  expect(started.toSorted()).toEqual(rows.map(({ instance_id }) => String(instance_id)).toSorted());
});

test('a firing is pending while execution is down and starts when execution returns', async () => {
  const [execution] = stack.services.execution;
  await execution?.kill();
  const id = await scheduleEveryMinute(SCHEDULE_COUNT);
  const readFiringsOfSchedule = async () => (await readFirings()).filter((row) => row.schedule_id === id);
  await until(readFiringsOfSchedule, (rows) => rows.some(({ reason_code }) => reason_code === 'UNAVAILABLE'));
  await switchOff(id);
  expect(new Set((await readFiringsOfSchedule()).map(({ result }) => result))).toEqual(new Set(['pending']));

  await execution?.startAgain();
  const rows = await until(readFiringsOfSchedule, (all) => all.every(({ result }) => result !== 'pending'));
  expect(rows.filter(({ result }) => result !== 'fired' && result !== 'late')).toEqual([]);
  const started = new Set((await readInstances()).map(({ instance_id }) => instance_id));
  expect(rows.filter(({ instance_id }) => !started.has(String(instance_id)))).toEqual([]);
});
