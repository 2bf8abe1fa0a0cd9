import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
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

// V8 only warns about a flag that it does not know, on standard error.
test('V8 knows each of the flags that limit its memory', () => {
  const code = `const heap = require(${JSON.stringify(join(__dirname, 'heap.ts'))}); heap.limitHeapGrowth(); heap.limitCompilerMemory();`;
  const { status, stderr } = spawnSync(process.execPath, ['--eval', code], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
