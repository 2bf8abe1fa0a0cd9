import { limitHeapGrowth } from './heap';

const MEGABYTE = 1024 * 1024;

test('limitHeapGrowth collects the garbage of the start', () => {
  let garbage: number[][] | undefined = Array.from({ length: 50 }, () =>
    Array.from({ length: MEGABYTE / 8 }, Math.random),
  );
  const full = process.memoryUsage().heapUsed;
  expect(garbage.length).toBe(50);
  garbage = undefined;
  limitHeapGrowth();
  expect(process.memoryUsage().heapUsed).toBeLessThan(full - 40 * MEGABYTE);
});
