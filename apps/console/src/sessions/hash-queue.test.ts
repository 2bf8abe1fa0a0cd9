import { HashQueue } from './hash-queue';

/** A queue whose first task runs until `finish`, and the labels of the tasks in the order in which they ran. */
function busyQueue() {
  const rests: number[] = [];
  const queue = new HashQueue(async (milliseconds) => rests.push(milliseconds));
  const ran: string[] = [];
  let finish = (): void => undefined;
  const first = queue.run('first', () => new Promise<void>((resolve) => (finish = resolve)));
  const add = (tenant: string, label = tenant) =>
    queue.run(tenant, async () => {
      ran.push(label);
    });
  return { queue, ran, rests, add, first, finish: () => finish() };
}

const errorOf = (task: Promise<unknown>) => task.then(() => undefined).catch((error: unknown) => error);

test('in the hash queue a tenant with one task waits for at most one task of each other tenant', async () => {
  const { ran, add, finish } = busyQueue();
  const tasks = [add('a', 'a1'), add('a', 'a2'), add('a', 'a3'), add('b', 'b1'), add('b', 'b2'), add('c', 'c1')];
  finish();
  await Promise.all(tasks);
  expect(ran).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('the hash queue refuses another task of a tenant with 20 waiting tasks, and no task of others', async () => {
  const { ran, add, finish } = busyQueue();
  const tasks = Array.from({ length: 20 }, () => add('a'));
  expect(await errorOf(add('a'))).toMatchObject({ code: 'RATE_LIMITED' });
  tasks.push(add('b'));
  finish();
  await Promise.all(tasks);
  expect(ran).toHaveLength(21);
});

test('in a full hash queue the tenant with the most tasks loses its newest one to a tenant with fewer', async () => {
  const { ran, add, finish } = busyQueue();
  const full = Array.from({ length: 200 }, (_, n) => errorOf(add(`tenant ${n % 10}`, `task ${n}`)));
  const late = errorOf(add('late'));
  finish();
  const refusals = (await Promise.all(full)).filter((error) => error !== undefined);
  expect(refusals).toEqual([expect.objectContaining({ code: 'UNAVAILABLE' })]);
  expect(await late).toBeUndefined();
  expect(ran.indexOf('late')).toBeLessThanOrEqual(10);
});

test('a hash queue that is full of one task of each tenant refuses another tenant', async () => {
  const { add, finish } = busyQueue();
  const full = Array.from({ length: 200 }, (_, n) => add(`tenant ${n}`));
  expect(await errorOf(add('late'))).toMatchObject({ code: 'UNAVAILABLE' });
  finish();
  await Promise.all(full);
});

test('a task of the hash queue that fails rejects for its caller only', async () => {
  const { queue, add, finish } = busyQueue();
  const failing = errorOf(queue.run('a', () => Promise.reject(new Error('no memory'))));
  const next = add('b');
  finish();
  expect(await failing).toEqual(new Error('no memory'));
  await next;
});

test('the hash queue rests after a task for three times as long as the task took, and only while others wait', async () => {
  const times = [1_000, 1_040, 2_000, 2_030];
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => times.shift() ?? 3_000);
  const { rests, add, first, finish } = busyQueue();
  const second = add('second');
  finish();
  await Promise.all([first, second]);
  expect(rests).toEqual([120]);
  clock.mockRestore();
});
