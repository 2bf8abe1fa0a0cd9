import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countResults, slowestFiles, summaryLine } from '../../scripts/lib/summary.cjs';

const cleanResults = { numPassedTests: 7, numFailedTests: 0, numRuntimeErrorTestSuites: 0 };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batuta-summary-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Writes the result files of the projects and returns their paths; an undefined project gets a path without a file. */
function writeResults(projects: (object | undefined)[]): string[] {
  return projects.map((project, index) => {
    const file = join(folder, `${index}.json`);
    if (project) writeFileSync(file, JSON.stringify(project));
    return file;
  });
}

test.each([
  ['adds up the projects', [cleanResults, { ...cleanResults, numPassedTests: 5 }], '12 passed, 0 failed'],
  ['counts failed tests', [cleanResults, { ...cleanResults, numFailedTests: 2 }], '14 passed, 2 failed'],
  [
    'counts a file that does not load as failed',
    [{ ...cleanResults, numRuntimeErrorTestSuites: 1 }],
    '7 passed, 1 failed',
  ],
  ['counts a run without a result file as failed', [cleanResults, undefined], '7 passed, 1 failed'],
  ['says that nothing ran', [], '0 passed, 0 failed'],
])('the last line of the summary %s', (_rule, projects, line) => {
  expect(summaryLine(countResults(writeResults(projects)))).toBe(line);
});

test('the slowest files of all projects are listed with their seconds, slowest first', () => {
  const took = (name: string, endTime: number) => ({ name: join('/repository', name), startTime: 0, endTime });
  const unit = { ...cleanResults, testResults: [took('libs/a.test.ts', 300), took('libs/b.test.ts', 2_000)] };
  const e2e = { ...cleanResults, testResults: [took('test/c.test.ts', 61_500)] };
  expect(slowestFiles(writeResults([unit, e2e, undefined]), '/repository', 2)).toEqual([
    '  61.5 s  test/c.test.ts',
    '   2.0 s  libs/b.test.ts',
  ]);
});
