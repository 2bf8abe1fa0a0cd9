import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  SECTIONS,
  complaintsAboutDocument,
  complaintsAboutRun,
  readConformance,
  type JestResults,
} from '../../scripts/lib/conformance.cjs';

const ROOT = join(__dirname, '..', '..');
const FILE = 'test/unit/conformance.test.ts';

const read = (proofs: string) => readConformance(`## 1 What it does\n\n- It does something.\n${proofs}`);
const complaints = (proofs: string) =>
  complaintsAboutDocument(read(proofs), ROOT).filter((what) => !what.startsWith('section '));

const CODE = '  - code: `scripts/lib/conformance.cjs`\n';
const cite = (name: string, file = FILE) => `${CODE}  - test: \`${file}\` \`${name}\`\n`;

/** What jest writes about these tests of this file. */
const results = (tests: Record<string, string>): JestResults[] => [
  {
    testResults: [
      {
        name: join(ROOT, FILE),
        assertionResults: Object.entries(tests).map(([fullName, status]) => ({ fullName, status })),
      },
    ],
  },
];
const ranWith = (name: string, tests: Record<string, string>, file?: string) =>
  complaintsAboutRun(read(cite(name, file)), results(tests), ROOT);

test('docs/conformance.md has every section, no open line, and only paths that exist', () => {
  const document = readConformance(readFileSync(join(ROOT, 'docs', 'conformance.md'), 'utf8'));
  expect(complaintsAboutDocument(document, ROOT)).toEqual([]);
  expect(document.length).toBeGreaterThan(SECTIONS.length);
});

test('a section that is left out is missed', () => {
  const missing = complaintsAboutDocument(read(CODE), ROOT).filter((what) => what.startsWith('section '));
  expect(missing).toHaveLength(SECTIONS.length - 1);
  expect(missing).toContain('section 4.8 is missing');
});

test.each<[string, string, RegExp[]]>([
  ['nothing', '', [/^line 3: no code is named$/, /^line 3: no test is cited$/]],
  ['code alone', CODE, [/no test is cited/]],
  ['a test alone', cite('a rule').replace(CODE, ''), [/no code is named/]],
  ['a path that is not there', cite('a rule', 'test/unit/gone.test.ts'), [/gone.test.ts does not exist/]],
  ['a citation without a name', `${CODE}  - test: \`${FILE}\`\n`, [/is not understood/, /no test is cited/]],
  ['a citation of whatever', cite('… …'), [/could be any test/]],
  ['a later of its own making', '  - later: one day\n', [/"one day" is not among/]],
  ['an open question', `${cite('a rule')}  - open: who knows\n`, [/is not understood: open/]],
])('a promise with %s is an open line', (_what, proofs, told) => {
  expect(complaints(proofs)).toEqual(told.map((what) => expect.stringMatching(what)));
});

test.each([
  ['code and a test', cite('a rule')],
  ['a word of what comes later', '  - later: runtime\n'],
])('a promise with %s is closed', (_what, proofs) => {
  expect(complaints(proofs)).toEqual([]);
});

describe('a cited test', () => {
  test.each<[string, string, Record<string, string>]>([
    ['by its full name', 'a thing keeps a rule', { 'a thing keeps a rule': 'passed' }],
    [
      'by the name of its table, all rows of which passed',
      'refuses …',
      { 'refuses 1': 'passed', 'refuses 2': 'passed' },
    ],
    ['with signs that mean something to a pattern', 'takes "R$ 1.0" (once?)', { 'takes "R$ 1.0" (once?)': 'passed' }],
  ])('is found %s', (_how, name, tests) => {
    expect(ranWith(name, tests)).toEqual([]);
  });

  test.each<[string, string, Record<string, string>, RegExp]>([
    ['that is not there', 'a rule', { 'another rule': 'passed' }, /a rule: did not run$/],
    ['that only begins like one that is', 'a rule', { 'a rule and more': 'passed' }, /did not run$/],
    ['that is spelled with a pattern', 'a r.le', { 'a rule': 'passed' }, /did not run$/],
    ['that failed', 'a rule', { 'a rule': 'failed' }, /failed: a rule$/],
    ['that was skipped', 'a rule', { 'a rule': 'pending' }, /pending: a rule$/],
    ['one row of which failed', 'refuses …', { 'refuses 1': 'passed', 'refuses 2': 'failed' }, /failed: refuses 2$/],
  ])('%s is a complaint', (_what, name, tests, complaint) => {
    expect(ranWith(name, tests)).toEqual([expect.stringMatching(complaint)]);
  });

  test('of another file is not this one', () => {
    expect(ranWith('a rule', { 'a rule': 'passed' }, 'test/unit/summary.test.ts')).toHaveLength(1);
  });

  test('has not run when nothing has', () => {
    expect(complaintsAboutRun(read(cite('a rule')), [], ROOT)).toHaveLength(1);
  });
});
