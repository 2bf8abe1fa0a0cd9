import { boundHeap } from './heap';

const MEGABYTE = 1024 * 1024;

test('the garbage of the start is collected', () => {
  let garbage: number[][] | undefined = Array.from({ length: 50 }, () =>
    Array.from({ length: MEGABYTE / 8 }, Math.random),
  );
  const full = process.memoryUsage().heapUsed;
  expect(garbage.length).toBe(50);
  garbage = undefined;
  boundHeap();
  expect(process.memoryUsage().heapUsed).toBeLessThan(full - 40 * MEGABYTE);
});
