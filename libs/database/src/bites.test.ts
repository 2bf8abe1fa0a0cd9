import { BiteSize, inBites } from '.';

/** A fake server on which each row takes `msPerRow`, in addition to the fixed time of a transaction. */
function createSlowServer(msPerRow: () => number) {
  let now = 0;
  const sizes: number[] = [];
  const rests: number[] = [];
  const size = new BiteSize(
    () => now,
    (milliseconds) => Promise.resolve(rests.push(milliseconds)),
  );
  const bite =
    (left = Infinity) =>
    async (rows: number) => {
      sizes.push(rows);
      const took = Math.min(rows, left);
      now += 5 + took * msPerRow();
      return took;
    };
  return { size, sizes, bite, rests };
}

test.each([
  ['a fast server', 0.01, 500],
  ['a usual server', 0.2, 100],
  ['a slow server', 1, 20],
  ['a server that hardly works', 100, 20],
])('on %s, which takes %d ms for a row, bites grow or shrink to %d rows', async (_, msPerRow, rows) => {
  const { size, sizes, bite } = createSlowServer(() => msPerRow);
  await inBites(bite(), { size, maxRows: 20_000 });
  expect(sizes[0]).toBe(50);
  expect(Math.abs(size.rows - rows)).toBeLessThanOrEqual(1);
});

test('a bite that took too long makes the next one smaller at once', async () => {
  let busy = false;
  const { size, bite } = createSlowServer(() => (busy ? 2 : 0.01));
  await inBites(bite(), { size, maxRows: 2_000 });
  expect(size.rows).toBe(500);
  busy = true;
  await size.run(bite());
  expect(size.rows).toBe(20);
});

test('a bite that fails after a long wait makes the next one smaller', async () => {
  let now = 0;
  const size = new BiteSize(() => now);
  const failing = size.run(async () => {
    now += 5_000;
    throw new Error('lock wait');
  });
  await expect(failing).rejects.toThrow('lock wait');
  expect(size.rows).toBe(20);
});

test('a bite that finds fewer rows than it may take does not make the next one larger', async () => {
  const { size, bite } = createSlowServer(() => 0.01);
  for (let turn = 0; turn < 10; turn += 1) await size.run(bite(3));
  expect(size.rows).toBe(50);
});

test('the last bite is the first one that takes fewer rows than it may', async () => {
  let left = 1_234;
  const bites: number[] = [];
  const total = await inBites(async (rows) => {
    const took = Math.min(rows, left);
    left -= took;
    bites.push(took);
    return took;
  });
  expect([total, left]).toEqual([1_234, 0]);
  expect(Math.max(...bites)).toBeLessThanOrEqual(500);
});

test('no bite begins once the maximum number of rows is taken or the work is stopped', async () => {
  expect(await inBites(async (rows) => rows, { maxRows: 1 })).toBe(50);
  expect(await inBites(async (rows) => rows, { isStopping: () => true })).toBe(0);
});

test('long work rests for twice the time of each bite that another one follows, but only briefly after a bite that waited for a lock', async () => {
  let ms = 10;
  const { size, bite, rests } = createSlowServer(() => (ms - 5) / 50);
  await size.run(bite());
  ms = 1_005;
  await size.run(bite());
  await size.run(bite(3));
  expect(rests).toEqual([20, 200]);
});
