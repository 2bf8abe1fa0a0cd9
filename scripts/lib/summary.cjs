'use strict';
const { readFileSync } = require('node:fs');
const path = require('node:path');

/**
 * Adds up the result files of jest (`--json --outputFile`) as `{ passed, failed }`. A test file that does not load has no
 * failed tests, and a run that crashes leaves no file: each counts as one failure.
 */
function countResults(files) {
  let passed = 0;
  let failed = 0;
  for (const file of files) {
    const results = readResults(file);
    passed += results?.numPassedTests ?? 0;
    failed += results ? results.numFailedTests + results.numRuntimeErrorTestSuites : 1;
  }
  return { passed, failed };
}

/** One line for each of the `count` slowest test files, slowest first: `  12.3 s  libs/flow/src/flow.test.ts`. */
function slowestFiles(files, root, count) {
  return files
    .flatMap((file) => readResults(file)?.testResults ?? [])
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${path.relative(root, name)}`);
}

function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The last line of a test run. */
function summaryLine({ passed, failed }) {
  return `${passed} passed, ${failed} failed`;
}

module.exports = { countResults, slowestFiles, summaryLine };
