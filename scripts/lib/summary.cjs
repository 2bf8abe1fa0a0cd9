'use strict';
const { readFileSync } = require('node:fs');

/**
 * Adds up the result files of jest (`--json --outputFile`) as `{ passed, failed }`. A test file that could not even be
 * loaded has no failed tests, and a run that crashed leaves no file: each counts as one failure.
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

module.exports = { countResults, summaryLine };
