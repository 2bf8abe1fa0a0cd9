'use strict';
const { existsSync, readFileSync } = require('node:fs');
const path = require('node:path');

/** Sections of the specification; each has a heading that begins with its number, and promises below it. */
const SECTIONS = [
  '1 2.1 2.2 2.3 2.4 2.5 2.6 2.6b 2.7 2.8 2.9 2.10 2.11 2.12 3.1 3.2 3.3',
  '4 4.1 4.2 4.3 4.4 4.5 4.6 4.7 4.8 4.9 4.10 4.11 4.12 4.13 4.14 4.15 4.16 4.17 5 6 7 8 9',
].flatMap((line) => line.split(' '));
/** What may still be to come, and nothing else. */
const LATER = ['runtime'];
/** In a cited title: any text. So one citation may stand for all rows of a table, and all of them must have passed. */
const ANY = '…';

/**
 * Reads `docs/conformance.md`. A promise is a list item; below it are its proofs:
 * `code:` paths in backticks, `test:` a file and full names of its tests in backticks, or `later:` a word of LATER.
 */
function readConformance(markdown) {
  const promises = [];
  let section;
  for (const [index, line] of markdown.split('\n').entries()) {
    section = /^#{2,3} (\S+)/.exec(line)?.[1] ?? section;
    if (line.startsWith('- ')) {
      promises.push({ line: index + 1, section, code: [], tests: [], later: undefined, strange: [] });
    }
    if (line.startsWith('  - ')) readProof(line.slice(4), promises.at(-1));
  }
  return promises;
}

function readProof(text, promise) {
  const [kind] = text.split(':');
  const quoted = [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
  if (kind === 'code' && quoted.length > 0) promise.code.push(...quoted);
  else if (kind === 'test' && quoted.length > 1) promise.tests.push(...citations(quoted));
  else if (kind === 'later') promise.later = text.slice('later: '.length);
  else promise.strange.push(text);
}

function citations([file, ...names]) {
  return names.map((name) => ({ file, name }));
}

/** What is wrong with the document by itself: a section left out, a promise without proof, a path that is not there. */
function complaintsAboutDocument(promises, root) {
  const covered = new Set(promises.map(({ section }) => section));
  const missing = SECTIONS.filter((section) => !covered.has(section));
  const exists = (file) => existsSync(path.join(root, file));
  return [
    ...missing.map((section) => `section ${section} is missing`),
    ...promises.flatMap((promise) => complaintsAbout(promise, exists).map((what) => `line ${promise.line}: ${what}`)),
  ];
}

function complaintsAbout({ code, tests, later, strange }, exists) {
  const complaints = strange.map((text) => `is not understood: ${text}`);
  if (later !== undefined && !LATER.includes(later)) complaints.push(`"${later}" is not among what comes later`);
  if (later === undefined && code.length === 0) complaints.push('no code is named');
  if (later === undefined && tests.length === 0) complaints.push('no test is cited');
  const paths = [...code, ...tests.map(({ file }) => file)];
  complaints.push(...paths.filter((file) => !exists(file)).map((file) => `${file} does not exist`));
  complaints.push(...tests.filter(({ name }) => isVague(name)).map(({ name }) => `"${name}" could be any test`));
  return complaints;
}

function isVague(name) {
  return !/\p{L}{2}/u.test(name);
}

/** Cited tests that did not run and pass in the runs whose results (jest's `--json`) these are. */
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
  const pattern = new RegExp(`^${name.split(ANY).map(escape).join('.+')}$`, 'su');
  const cited = assertions.filter(({ fullName }) => pattern.test(fullName));
  if (cited.length === 0) return 'did not run';
  const bad = cited.filter(({ status }) => status !== 'passed');
  return bad.length === 0 ? undefined : `${bad[0].status}: ${bad[0].fullName}`;
}

function escape(text) {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Everything that is wrong, given jest's result files; one that is not there is as if nothing had run. */
function checkConformance(root, resultFiles) {
  const promises = readConformance(readFileSync(path.join(root, 'docs', 'conformance.md'), 'utf8'));
  const results = resultFiles.flatMap((file) => (existsSync(file) ? [JSON.parse(readFileSync(file, 'utf8'))] : []));
  return [...complaintsAboutDocument(promises, root), ...complaintsAboutRun(promises, results, root)];
}

module.exports = { SECTIONS, checkConformance, complaintsAboutDocument, complaintsAboutRun, readConformance };
