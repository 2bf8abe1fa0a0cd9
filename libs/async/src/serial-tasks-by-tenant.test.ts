import { SerialTasksByTenant } from './serial-tasks-by-tenant';

/** Tasks whose rests last until `endRests`, and a log of what began and ended. */
function recordedTasks() {
  const log: string[] = [];
  let rests: (() => void)[] = [];
  const tasks = new SerialTasksByTenant(() => new Promise<void>((resolve) => rests.push(resolve)));
  const task = (tenant: string, label: string) =>
    tasks.run(tenant, async () => {
      log.push(label);
      return label;
    });
  const endRests = async () => {
    for (const end of rests) end();
    rests = [];
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { tasks, log, task, endRests };
}

test('tasks of one tenant run in order, each after the rest that follows the one before', async () => {
  const { log, task, endRests } = recordedTasks();
  const results = [task('a', 'first'), task('a', 'second'), task('a', 'third')];
  expect(await results[0]).toBe('first');
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual(['first']);
  await endRests();
  expect(log).toEqual(['first', 'second']);
  await endRests();
  expect(await Promise.all(results)).toEqual(['first', 'second', 'third']);
});

test('tasks of different tenants do not wait for each other', async () => {
  const { task } = recordedTasks();
  expect(await Promise.all([task('a', 'one'), task('b', 'other')])).toEqual(['one', 'other']);
});

test('a task that fails is followed by the next one', async () => {
  const { tasks, task, endRests } = recordedTasks();
  const failed = tasks.run('a', () => Promise.reject(new Error('no')));
  const next = task('a', 'next');
  await expect(failed).rejects.toThrow('no');
  await endRests();
  expect(await next).toBe('next');
});

test('a tenant whose tasks and rests are over runs its next task at once', async () => {
  const { task, endRests } = recordedTasks();
  await task('a', 'one');
  await endRests();
  expect(await task('a', 'two')).toBe('two');
});

test('a tenant rests after a task for three times as long as the task took', async () => {
  const rests: number[] = [];
  const clock = jest.spyOn(performance, 'now').mockReturnValueOnce(1_000).mockReturnValueOnce(1_250);
  const tasks = new SerialTasksByTenant(async (milliseconds) => rests.push(milliseconds));
  await tasks.run('a', async () => undefined);
  await tasks.run('a', async () => undefined);
  expect(rests[0]).toBe(750);
  clock.mockRestore();
});
