'use strict';
const { existsSync, readFileSync } = require('node:fs');
const path = require('node:path');
const { checkCitations } = require('./conformance-citations.cjs');
const { checkGlossary } = require('./conformance-glossary.cjs');

/** The sections of docs/contract.md. For each, docs/conformance.md has a heading that begins with its number, and promises below. */
const SECTIONS = [
  '1 2.1 2.2 2.3 2.4 2.5 2.6 2.6b 2.7 2.8 2.9 2.10 2.11 2.12 3.1 3.2 3.3',
  '4 4.1 4.2 4.3 4.4 4.5 4.6 4.7 4.8 4.9 4.10 4.11 4.12 4.13 4.14 4.15 4.16 4.17 5 6 7 8 9',
].flatMap((line) => line.split(' '));
/** A placeholder for any text in a cited title: one citation covers all tests of a table, and all of them must have passed. */
const ELLIPSIS = '…';

/**
 * Reads `docs/conformance.md`. A promise is a list item; the items below it are its proofs: `code:` with paths in backticks,
 * and `test:` with a file and full names of its tests in backticks.
 */
function readConformance(markdown) {
  const promises = [];
  let section;
  for (const [index, line] of markdown.split('\n').entries()) {
    section = /^#{2,3} (\S+)/.exec(line)?.[1] ?? section;
    if (line.startsWith('- ')) {
      promises.push({ line: index + 1, section, code: [], tests: [], unreadable: [] });
    }
    if (line.startsWith('  - ')) readProof(line.slice(4), promises.at(-1));
  }
  return promises;
}

function readProof(text, promise) {
  const [kind] = text.split(':');
  const quoted = [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
  if (kind === 'code' && quoted.length > 0) promise.code.push(...quoted);
  else if (kind === 'test' && quoted.length > 1) promise.tests.push(...citationsOf(quoted));
  else promise.unreadable.push(text);
}

function citationsOf([file, ...names]) {
  return names.map((name) => ({ file, name }));
}

/** Complaints about the document alone: a missing section, a promise without proof, a path that does not exist. */
function complaintsAboutDocument(promises, root) {
  const covered = new Set(promises.map(({ section }) => section));
  const missing = SECTIONS.filter((section) => !covered.has(section));
  const exists = (file) => existsSync(path.join(root, file));
  return [
    ...missing.map((section) => `section ${section} is missing`),
    ...promises.flatMap((promise) => complaintsAbout(promise, exists).map((what) => `line ${promise.line}: ${what}`)),
  ];
}

function complaintsAbout({ code, tests, unreadable }, exists) {
  const complaints = unreadable.map((text) => `is not readable: ${text}`);
  if (code.length === 0) complaints.push('no code is named');
  if (tests.length === 0) complaints.push('no test is cited');
  const paths = [...code, ...tests.map(({ file }) => file)];
  complaints.push(...paths.filter((file) => !exists(file)).map((file) => `${file} does not exist`));
  complaints.push(...tests.filter(({ name }) => matchesAnyTest(name)).map(({ name }) => `"${name}" could be any test`));
  return complaints;
}

function matchesAnyTest(name) {
  return !/\p{L}{2}/u.test(name);
}

/** Complaints about cited tests that did not pass, or did not run, according to these results (jest's `--json`). */
function complaintsAboutRun(promises, results, root) {
  const ran = new Map();
  for (const { name, assertionResults } of results.flatMap(({ testResults }) => testResults)) {
    const file = path.isAbsolute(name) ? path.relative(root, name) : name;
    ran.set(file, [...(ran.get(file) ?? []), ...assertionResults]);
  }
  return promises.flatMap(({ line, tests }) =>
    tests.flatMap(({ file, name }) => {
      const what = complaintAboutCitation(ran.get(file) ?? [], name);
      return what === undefined ? [] : [`line ${line}: ${file} › ${name}: ${what}`];
    }),
  );
}

function complaintAboutCitation(assertions, name) {
  const pattern = new RegExp(`^${name.split(ELLIPSIS).map(escapePattern).join('.+')}$`, 'su');
  const cited = assertions.filter(({ fullName }) => pattern.test(fullName));
  if (cited.length === 0) return 'did not run';
  const notPassed = cited.filter(({ status }) => status !== 'passed');
  return notPassed.length === 0 ? undefined : `${notPassed[0].status}: ${notPassed[0].fullName}`;
}

function escapePattern(text) {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** All complaints, each with its file. `resultFiles` = the result files of jest; when one is missing, its tests did not run. */
function checkConformance(root, resultFiles) {
  const promises = readConformance(readFileSync(path.join(root, 'docs', 'conformance.md'), 'utf8'));
  const results = resultFiles.flatMap((file) => (existsSync(file) ? [JSON.parse(readFileSync(file, 'utf8'))] : []));
  const complaints = [...complaintsAboutDocument(promises, root), ...complaintsAboutRun(promises, results, root)];
  return [...complaints.map((what) => `docs/conformance.md, ${what}`), ...checkCitations(root), ...checkGlossary(root)];
}

module.exports = { SECTIONS, checkConformance, complaintsAboutDocument, complaintsAboutRun, readConformance };
