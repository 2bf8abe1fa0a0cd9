import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingFiles, splitGroups, unmatchedPatterns } from '../../scripts/lib/jest-results.cjs';

let root: string;
let resultFile: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'batuta-results-'));
  resultFile = join(root, 'results.json');
  mkdirSync(join(root, 'libs'));
});
afterEach(() => rmSync(root, { recursive: true }));

const assertion = (file: string, title: string, startAt: number, duration: number) => ({
  ancestorTitles: [file, 'a claim'],
  fullName: `${file} a claim ${title}`,
  title,
  startAt,
  duration,
});

function writeGroup(): void {
  const assertionResults = [
    assertion('libs/a.test.ts', 'waits', 200, 50),
    assertion('libs/a.test.ts', 'ends', 260, 40),
    assertion('libs/b.test.ts', 'waits', 900, 100),
  ];
  const group = { name: '/repository/test/groups/libs.group.ts', startTime: 100, endTime: 1_100, assertionResults };
  writeFileSync(resultFile, JSON.stringify({ testResults: [group] }));
}

test('the results of a group become those of its files, each with the time since the end of the file before', () => {
  writeGroup();
  splitGroups(resultFile, root);
  const { testResults } = JSON.parse(readFileSync(resultFile, 'utf8'));
  expect(testResults).toMatchObject([
    { name: join(root, 'libs/a.test.ts'), startTime: 100, endTime: 300 },
    { name: join(root, 'libs/b.test.ts'), startTime: 300, endTime: 1_000 },
  ]);
  expect(testResults[0].assertionResults).toMatchObject([
    { ancestorTitles: ['a claim'], fullName: 'a claim waits' },
    { ancestorTitles: ['a claim'], fullName: 'a claim ends' },
  ]);
});

test('results of a test file that is not a group stay as they are', () => {
  const file = { name: join(root, 'libs/a.test.ts'), startTime: 1, endTime: 2, assertionResults: [] };
  writeFileSync(resultFile, JSON.stringify({ testResults: [file] }));
  splitGroups(resultFile, root);
  expect(JSON.parse(readFileSync(resultFile, 'utf8'))).toEqual({ testResults: [file] });
});

test('a test file without a result is reported as missing', () => {
  for (const file of ['libs/a.test.ts', 'libs/b.test.ts', 'libs/forgotten.test.ts'])
    writeFileSync(join(root, file), '');
  writeGroup();
  splitGroups(resultFile, root);
  expect(missingFiles([resultFile], root, ['libs'])).toEqual(['libs/forgotten.test.ts']);
});

test('a pattern that matches no test file is reported, also beside one that does', () => {
  writeFileSync(resultFile, JSON.stringify({ testResults: [{ name: join(root, 'libs/a.test.ts') }] }));
  expect(unmatchedPatterns(resultFile, root, ['libs/A', '^libs', './libs', 'libs/misspelt', 'a\\.test'])).toEqual([
    'libs/misspelt',
  ]);
  expect(unmatchedPatterns(join(root, 'no-results.json'), root, ['libs/a'])).toEqual(['libs/a']);
});
