import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countResults, summaryLine } from '../../scripts/lib/summary.cjs';

const clean = { numPassedTests: 7, numFailedTests: 0, numRuntimeErrorTestSuites: 0 };

test.each([
  ['adds up the projects', [clean, { ...clean, numPassedTests: 5 }], '12 passed, 0 failed'],
  ['counts failed tests', [clean, { ...clean, numFailedTests: 2 }], '14 passed, 2 failed'],
  ['counts a file that could not be loaded', [{ ...clean, numRuntimeErrorTestSuites: 1 }], '7 passed, 1 failed'],
  ['counts a run that left no results', [clean, undefined], '7 passed, 1 failed'],
  ['says so when nothing ran', [], '0 passed, 0 failed'],
])('the last line %s', async (_rule, projects, line) => {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-summary-'));
  const files = projects.map((_project, index) => join(folder, `${index}.json`));
  projects.forEach((project, index) => {
    if (project) writeFileSync(join(folder, `${index}.json`), JSON.stringify(project));
  });
  expect(summaryLine(countResults(files))).toBe(line);
  await rm(folder, { recursive: true });
});
