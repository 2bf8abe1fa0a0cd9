import { setFlagsFromString } from 'node:v8';
import { limitHeapGrowth } from './heap';

const MEGABYTE = 1024 * 1024;

// Restores V8's own heap growth for the test files that run later in this process.
afterAll(() => setFlagsFromString('--heap-growing-percent=0'));

test('limitHeapGrowth collects the garbage of the start', () => {
  let garbage: number[][] | undefined = Array.from({ length: 50 }, () => Array<number>(MEGABYTE / 8).fill(0.5));
  const full = process.memoryUsage().heapUsed;
  expect(garbage.length).toBe(50);
  garbage = undefined;
  limitHeapGrowth();
  expect(process.memoryUsage().heapUsed).toBeLessThan(full - 40 * MEGABYTE);
});
