import { createLogger, LOGGER } from '@batuta/observability';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test, type TestingModule } from '@nestjs/testing';
import { waitUntil } from '../../../test/support/wait-until';
import { PeriodicTasks } from './periodic-tasks';

let app: TestingModule;
let lines: string[];
let tasks: PeriodicTasks;
let registry: SchedulerRegistry;

beforeEach(async () => {
  lines = [];
  const logger = createLogger('test', 'warn', { write: (line) => void lines.push(line) });
  app = await Test.createTestingModule({
    imports: [ScheduleModule.forRoot()],
    providers: [PeriodicTasks, { provide: LOGGER, useValue: logger }],
  }).compile();
  await app.init();
  tasks = app.get(PeriodicTasks);
  registry = app.get(SchedulerRegistry);
});
afterEach(() => app.close());

test('a planned task is a timeout of its name in the SchedulerRegistry', () => {
  tasks.every('lost leases', 60_000, async () => {});
  expect(registry.getTimeouts()).toEqual(['lost leases']);
});

test('two tasks of one name are refused', () => {
  tasks.every('lost leases', 60_000, async () => {});
  expect(() => tasks.every('lost leases', 60_000, async () => {})).toThrow('lost leases');
});

test('a task that fails at each run is logged at its first failure, and a minute later with the number of failures since', async () => {
  let runs = 0;
  tasks.every('failing', 1, () => {
    runs += 1;
    return Promise.reject(new Error('the database is away'));
  });
  await waitUntil('five runs', () => runs >= 5);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { task: 'failing', err: { message: 'the database is away' } },
  ]);
  const later = performance.now() + 60_000;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => later);
  await waitUntil('it is logged again', () => lines.length === 2).finally(() => clock.mockRestore());
  expect(JSON.parse(lines[1] ?? '').failures).toBeGreaterThan(1);
});

test('a task that fails with another error is logged at once', async () => {
  const messages = ['first', 'first', 'second', 'second'];
  tasks.every('failing', 1, async () => {
    const message = messages.shift();
    if (message !== undefined) throw new Error(message);
  });
  await waitUntil('all runs', () => messages.length === 0);
  await tasks.stop();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { err: { message: 'first' }, failures: 1 },
    { err: { message: 'second' }, failures: 2 },
  ]);
});

test('a run that succeeds ends the count of failures', async () => {
  const runs = ['first', 'first', 'first', undefined, 'second'];
  tasks.every('failing', 1, async () => {
    const message = runs.shift();
    if (message !== undefined) throw new Error(message);
  });
  await waitUntil('all runs', () => runs.length === 0);
  await tasks.stop();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { err: { message: 'first' }, failures: 1 },
    { err: { message: 'second' }, failures: 1 },
  ]);
});

test('the longest time for which a task has failed at each run is known until a run succeeds or the task is stopped', async () => {
  let fails = true;
  let runs = 0;
  const task = tasks.every('failing', 1, async () => {
    runs += 1;
    if (fails) throw new Error('the database is away');
  });
  expect(tasks.longestFailingMs).toBe(0);
  await waitUntil('it has failed for a while', () => runs > 2 && tasks.longestFailingMs > 5);
  fails = false;
  await waitUntil('a run has succeeded', () => tasks.longestFailingMs === 0);
  fails = true;
  await waitUntil('it fails again', () => tasks.longestFailingMs > 0);
  await task.stop();
  expect(tasks.longestFailingMs).toBe(0);
});

test('a task that takes longer than its interval does not overlap itself', async () => {
  let running = 0;
  const counts: number[] = [];
  tasks.every('slow', 1, async () => {
    running += 1;
    counts.push(running);
    await new Promise((resolve) => setTimeout(resolve, 10));
    running -= 1;
  });
  await waitUntil('four runs', () => counts.length >= 4);
  expect(new Set(counts)).toEqual(new Set([1]));
});

test('a stopped task plans no other run, its stop waits for the run in progress, and its name is free again', async () => {
  let end: () => void = () => {};
  let runs = 0;
  const task = tasks.every('held', 1, () => {
    runs += 1;
    return new Promise((resolve) => (end = resolve));
  });
  await waitUntil('the first run', () => runs === 1);
  let stopped = false;
  const stopping = task.stop().then(() => (stopped = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  end();
  await stopping;
  expect([runs, registry.getTimeouts()]).toEqual([1, []]);
  tasks.every('held', 60_000, async () => {});
  expect(registry.getTimeouts()).toEqual(['held']);
});

test('the next run of a task can be brought forward, also while it runs', async () => {
  const ends: (() => void)[] = [];
  const task = tasks.every('hourly', 3_600_000, () => new Promise((resolve) => ends.push(resolve)));
  task.runWithin(1);
  await waitUntil('the first run', () => ends.length === 1);
  task.runWithin(1);
  ends[0]?.();
  await waitUntil('the second run', () => ends.length === 2);
  ends[1]?.();
  await waitUntil('the next run is planned', () => registry.getTimeouts().length === 1);
  // The pause of the timer, which Node keeps under this name.
  expect(Reflect.get(registry.getTimeout('hourly'), '_idleTimeout')).toBeGreaterThan(3_000_000);
});

test('a task on which requests in flight depend runs on while the service drains, until its owner stops it', async () => {
  let runs = 0;
  const task = tasks.every(
    'drained',
    1,
    async () => {
      runs += 1;
    },
    { whileDraining: true },
  );
  await app.close();
  const before = runs;
  await waitUntil('two more runs', () => runs >= before + 2);
  await task.stop();
  expect(registry.getTimeouts()).toEqual([]);
});

test('a task that fails runs again', async () => {
  let runs = 0;
  tasks.every('failing', 1, async () => {
    runs += 1;
    throw new Error('this run failed');
  });
  await waitUntil('three runs', () => runs >= 3);
  expect(registry.getTimeouts().length).toBeLessThanOrEqual(1);
});

test('shutdown waits for the run in progress and starts no other', async () => {
  let runs = 0;
  let end: () => void = () => {};
  tasks.every('held', 1, () => {
    runs += 1;
    return new Promise((resolve) => (end = resolve));
  });
  await waitUntil('the first run', () => runs === 1);
  let closed = false;
  const closing = app.close().then(() => (closed = true));
  await waitUntil('shutdown has begun', () => tasks.stopping);
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toBe(false);
  end();
  await closing;
  expect([runs, registry.getTimeouts()]).toEqual([1, []]);
});
