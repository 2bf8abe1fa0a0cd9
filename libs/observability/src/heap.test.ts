import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
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

test('V8 knows each of the flags that limit its memory, because it only warns about others', () => {
  const code = readFileSync(join(__dirname, 'heap.ts'), 'utf8');
  const flags = [...code.matchAll(/--(?:no-)?([a-z-]+)/g)].map(([, flag]) => flag);
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8', maxBuffer: 10 * MEGABYTE });
  expect(flags).toContain('maglev-destroy-on-background');
  expect(flags.filter((flag) => !known.includes(`  --${flag} `))).toEqual([]);
});
