import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkCitations,
  complaintsAboutCitations,
  mayCite,
  readContract,
} from '../../scripts/lib/conformance-citations.cjs';
import {
  MAX_ENTRIES,
  checkGlossary,
  complaintsAboutGlossary,
  readGlossary,
} from '../../scripts/lib/conformance-glossary.cjs';
import {
  SECTIONS,
  complaintsAboutDocument,
  complaintsAboutRun,
  readConformance,
  type JestResults,
} from '../../scripts/lib/conformance.cjs';

const ROOT = join(__dirname, '..', '..');
const THIS_FILE = 'test/unit/conformance.test.ts';

const readPromise = (proofs: string) => readConformance(`## 1 What it does\n\n- It does something.\n${proofs}`);
const complaintsAboutProofs = (proofs: string) =>
  complaintsAboutDocument(readPromise(proofs), ROOT).filter((what) => !what.startsWith('section '));

const CODE_PROOF = '  - code: `scripts/lib/conformance.cjs`\n';
const testProof = (name: string, file = THIS_FILE) => `${CODE_PROOF}  - test: \`${file}\` \`${name}\`\n`;

/** A result file of jest as far as the check reads it, with the given tests of this file and their statuses. */
const jestResults = (tests: Record<string, string>): JestResults[] => [
  {
    testResults: [
      {
        name: join(ROOT, THIS_FILE),
        assertionResults: Object.entries(tests).map(([fullName, status]) => ({ fullName, status })),
      },
    ],
  },
];
const complaintsAboutResults = (name: string, tests: Record<string, string>, file?: string) =>
  complaintsAboutRun(readPromise(testProof(name, file)), jestResults(tests), ROOT);

test('docs/conformance.md has every section, a proof for every promise, and only paths that exist', () => {
  const document = readConformance(readFileSync(join(ROOT, 'docs', 'conformance.md'), 'utf8'));
  expect(complaintsAboutDocument(document, ROOT)).toEqual([]);
  expect(document.length).toBeGreaterThan(SECTIONS.length);
});

test('a missing section of docs/conformance.md is a complaint', () => {
  const missing = complaintsAboutDocument(readPromise(CODE_PROOF), ROOT).filter((what) => what.startsWith('section '));
  expect(missing).toHaveLength(SECTIONS.length - 1);
  expect(missing).toContain('section 4.8 is missing');
});

test.each<[string, string, RegExp[]]>([
  ['no proof', '', [/^line 3: no code is named$/, /^line 3: no test is cited$/]],
  ['code alone', CODE_PROOF, [/no test is cited/]],
  ['a test alone', testProof('a rule').replace(CODE_PROOF, ''), [/no code is named/]],
  ['a path that does not exist', testProof('a rule', 'test/unit/gone.test.ts'), [/gone.test.ts does not exist/]],
  ['a citation without a name', `${CODE_PROOF}  - test: \`${THIS_FILE}\`\n`, [/is not readable/, /no test is cited/]],
  ['a citation that any test matches', testProof('… …'), [/could be any test/]],
  ['an unknown kind of proof', `${testProof('a rule')}  - open: unknown\n`, [/is not readable: open/]],
])('a promise of docs/conformance.md with %s is a complaint', (_what, proofs, expected) => {
  expect(complaintsAboutProofs(proofs)).toEqual(expected.map((what) => expect.stringMatching(what)));
});

test('a promise of docs/conformance.md with code and a test is no complaint', () => {
  expect(complaintsAboutProofs(testProof('a rule'))).toEqual([]);
});

describe('citations of tests', () => {
  test.each<[string, string, Record<string, string>]>([
    ['by its full name', 'a thing keeps a rule', { 'a thing keeps a rule': 'passed' }],
    ['by the name of its table when all rows passed', 'refuses …', { 'refuses 1': 'passed', 'refuses 2': 'passed' }],
    [
      'with characters that a pattern would interpret',
      'takes "R$ 1.0" (once?)',
      { 'takes "R$ 1.0" (once?)': 'passed' },
    ],
  ])('a cited test is found %s', (_how, name, tests) => {
    expect(complaintsAboutResults(name, tests)).toEqual([]);
  });

  test.each<[string, string, Record<string, string>, RegExp]>([
    ['that does not exist', 'a rule', { 'another rule': 'passed' }, /a rule: did not run$/],
    ['that is only the beginning of a title', 'a rule', { 'a rule and more': 'passed' }, /did not run$/],
    ['that is written as a pattern', 'a r.le', { 'a rule': 'passed' }, /did not run$/],
    ['that failed', 'a rule', { 'a rule': 'failed' }, /failed: a rule$/],
    ['that was skipped', 'a rule', { 'a rule': 'pending' }, /pending: a rule$/],
    ['with one failed row', 'refuses …', { 'refuses 1': 'passed', 'refuses 2': 'failed' }, /failed: refuses 2$/],
  ])('a cited test %s is a complaint', (_what, name, tests, complaint) => {
    expect(complaintsAboutResults(name, tests)).toEqual([expect.stringMatching(complaint)]);
  });

  test('a cited test is not found in another file', () => {
    expect(complaintsAboutResults('a rule', { 'a rule': 'passed' }, 'test/unit/summary.test.ts')).toHaveLength(1);
  });

  test('a cited test is a complaint when no test ran', () => {
    expect(complaintsAboutRun(readPromise(testProof('a rule')), [], ROOT)).toHaveLength(1);
  });
});

describe('contract', () => {
  const contract = readContract(readFileSync(join(ROOT, 'docs', 'contract.md'), 'utf8'));

  test('docs/contract.md has the sections that docs/conformance.md proves, and their groups', () => {
    const groups = ['2', '3'];
    expect([...contract.sections.keys()].toSorted()).toEqual([...SECTIONS, ...groups].toSorted());
  });

  test('docs/contract.md has interpretations 1 to 64, 8b, 9b, 14b, 21b and 36b', () => {
    const numbers = Array.from({ length: 64 }, (_, index) => String(index + 1));
    const later = ['8b', '9b', '14b', '21b', '36b'];
    expect([...contract.interpretations].toSorted()).toEqual([...numbers, ...later].toSorted());
  });

  test('every kind of text of the project may cite, and pictures and packages may not', () => {
    const citing = ['a.ts', 'b.tsx', 'c.cjs', 'd.mjs', 'e.md', 'f.sh', 'g.sql', 'h.css', 'i.yaml', 'j.conf'];
    expect(citing.filter((file) => !mayCite(file))).toEqual([]);
    expect(['a.png', 'b.tgz', 'c.json'].filter(mayCite)).toEqual([]);
  });

  test('docs/contract.md has every section, rule and interpretation that a file of the project cites', () => {
    expect(checkCitations(ROOT)).toEqual([]);
  });
});

describe('citations', () => {
  const contract = readContract(
    [
      '## 4 Routes',
      '### 4.8 Start',
      '1. A rule.',
      '2. Another rule.',
      '### 2.6b Body',
      '- **1.** One.',
      '- **3.** Three.',
      '- **4b.** Four.',
    ].join('\n'),
  );
  // The check of citations reads this file, too. A citation of a section that does not exist is composed with WORD, which hides it.
  const WORD = 'contract';
  const check = (kind: string, numbers: string) => complaintsAboutCitations(`// (${kind} ${numbers})`, contract);

  test.each([
    ['contract', '4'],
    ['Contract', '4.8: the start'],
    ['contract', '4.8, 2.6b and 4'],
    ['contract', '4.8 rule 2'],
    ['contract', '4.8, interpretation 3'],
    ['interpretation', '1.'],
    ['Interpretations', '1, 3 and 4b'],
    ['interpretations', '1,\n * 3'],
    ['interpretation', '\n// 3'],
    ['interpretations', '1\n-- and 3'],
    ['contract', 'by which nobody is bound'],
    ['contract', '4th'],
  ])('the citation "%s %s" is no complaint', (kind, numbers) => {
    expect(check(kind, numbers)).toEqual([]);
  });

  test.each([
    ['contract', '4.9', ['contract 4.9']],
    ['Contract', '2.6', ['contract 2.6']],
    ['contract', '4.8.1', [`${WORD} 4.8.1`]],
    ['contract', '4, 4.9 and 5', ['contract 4.9', 'contract 5']],
    ['contract', '4.8, interpretation 2', ['interpretation 2']],
    ['interpretation', '4', ['interpretation 4']],
    ['interpretations', '1, 2 and 9', ['interpretation 2', 'interpretation 9']],
    ['interpretations', '1, 3, and 5', ['interpretation 5']],
    ['interpretations', '1–3', ['interpretation 2']],
    ['interpretations', '1-4b', ['interpretation 2']],
    ['interpretations', '3–6, 8', ['interpretation 4', 'interpretation 5', 'interpretation 6', 'interpretation 8']],
    ['interpretations', '1,\n * 2', ['interpretation 2']],
  ])('the citation "%s %s", which leads nowhere, is a complaint', (kind, numbers, missing) => {
    expect(check(kind, numbers)).toEqual(missing.map((what) => `line 1: ${what} does not exist`));
  });

  test('a citation of a rule that its section lacks is a complaint', () => {
    expect(check('contract', '4.8 rule 3')).toEqual(['line 1: contract 4.8 has no rule 3']);
    expect(check('contract', '4 rule 1')).toEqual(['line 1: contract 4 has no rule 1']);
  });

  test('a citation names the line on which it stands', () => {
    expect(complaintsAboutCitations('one\ntwo interpretation 2', contract)).toEqual([
      'line 2: interpretation 2 does not exist',
    ]);
  });

  test.each(['spec', 'reading', 'Readings'])(
    'a citation by the former word "%s" is a complaint, even of a number that exists',
    (word) => {
      expect(check(word, '1')).toEqual([expect.stringMatching(/^line 1: .* cites no page of the project$/)]);
    },
  );
});

test('every record of docs/decisions.md has one context, one decision, one consequence and what would change it', () => {
  const records = readFileSync(join(ROOT, 'docs', 'decisions.md'), 'utf8')
    .split(/^### /mu)
    .slice(1);
  const labelsOf = (record: string) => [...record.matchAll(/^- \*\*(.+?)\.\*\*/gmu)].map(([, label]) => label);
  const others = records.filter(
    (record) => labelsOf(record).join() !== 'Context,Decision,Consequence,What would change it',
  );
  expect(others.map((record) => record.split('\n')[0])).toEqual([]);
  expect(records.length).toBeGreaterThan(80);
});

describe('glossary', () => {
  const entry = (word: string, text = 'A word; `docs/glossary.md`.') => `- **${word}**: ${text}\n`;
  const about = (...entries: string[]) =>
    complaintsAboutGlossary(readGlossary(`# Glossary\n\n${entries.join('')}`), ROOT);

  test('docs/glossary.md has an existing path for each word, no word twice, and not too many', () => {
    expect(checkGlossary(ROOT)).toEqual([]);
    expect(readGlossary(readFileSync(join(ROOT, 'docs', 'glossary.md'), 'utf8')).length).toBeGreaterThan(50);
  });

  test.each<[string, string[], string]>([
    [
      'an entry with a path that does not exist',
      [entry('lease', 'In `apps/gone.ts`.')],
      'lease: apps/gone.ts does not exist',
    ],
    ['an entry without a path', [entry('lease', 'In no `file`.')], 'lease: no path says where it lives'],
    [
      'an entry of two sentences',
      [entry('lease', 'A right. It ends. `docs/glossary.md`')],
      'lease: has more than one sentence',
    ],
    ['a word that is explained twice', [entry('lease'), entry('claim'), entry('Lease')], 'Lease: is explained twice'],
    [
      'an entry without a bold word',
      ['- lease: `docs/glossary.md`\n'],
      'an entry has no word: - lease: `docs/glossary.md`',
    ],
  ])('docs/glossary.md with %s is a complaint', (_what, entries, complaint) => {
    expect(about(...entries)).toEqual([complaint]);
  });

  test('docs/glossary.md with more than the maximum number of entries is a complaint', () => {
    const entries = Array.from({ length: MAX_ENTRIES }, (_, index) => entry(`word ${index}`));
    expect(about(...entries)).toEqual([]);
    expect(about(...entries, entry('one more'))).toEqual([`has ${MAX_ENTRIES + 1} entries, more than ${MAX_ENTRIES}`]);
  });
});
