import { globSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

/**
 * Declares all test files below a folder (a path from the repository root) as tests of one jest file. Jest loads every module anew for each
 * of its files, and Nest with TypeORM takes two seconds: together the tests of a folder load them once. Every test file is a `describe` with
 * its path as the name, by which `scripts/lib/jest-results.cjs` separates the results. A test file must restore its own spies and timers.
 * Throws when a file starts a thread while it is loaded, which would run during the tests of all other files.
 */
export function describeFiles(folder: string): void {
  const threads = countThreads();
  for (const file of globSync(`${folder}/**/*.test.ts`, { cwd: ROOT }).toSorted()) {
    describe(file, () => {
      require(join(ROOT, file));
    });
    if (countThreads() > threads) throw new Error(`${file} starts a thread while it is loaded; start it in beforeAll`);
  }
}

/** The number of worker threads. Node pipes the output of each one to that of this process, and each pipe listens to `unpipe`. */
function countThreads(): number {
  return process.stdout.listenerCount('unpipe');
}
