'use strict';
const { existsSync, globSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const TEST_FILE_NAME = /\.test\.ts$/;

/**
 * Rewrites a result file of jest as if jest had run each test file by itself: in a group (test/groups) every test file is a
 * `describe` with its path as the name.
 */
function splitGroups(resultFile, root) {
  if (!existsSync(resultFile)) return;
  const results = JSON.parse(readFileSync(resultFile, 'utf8'));
  results.testResults = results.testResults.flatMap((group) => {
    const files = filesOf(group, root);
    return files.length > 0 ? files : [group];
  });
  writeFileSync(resultFile, JSON.stringify(results));
}

/** The files of a group run one after the other: the time of each begins at the end of the previous one. */
function filesOf({ startTime, assertionResults }, root) {
  let before = startTime;
  return Object.entries(Object.groupBy(assertionResults, ({ ancestorTitles }) => ancestorTitles[0] ?? ''))
    .filter(([file]) => TEST_FILE_NAME.test(file))
    .map(([file, assertions]) => {
      const ends = assertions.map(({ startAt, duration }) => (startAt ?? before) + (duration ?? 0));
      const endTime = Math.max(before, ...ends);
      const result = { name: path.join(root, file), startTime: before, endTime };
      before = endTime;
      return { ...result, assertionResults: assertions.map((assertion) => withoutFile(assertion, file)) };
    });
}

function withoutFile(assertion, file) {
  const [, ...ancestorTitles] = assertion.ancestorTitles;
  return { ...assertion, ancestorTitles, fullName: assertion.fullName.slice(file.length + 1) };
}

/** The test files below the folders that have no test in the results, as happens when no group names their folder. */
function missingFiles(resultFiles, root, folders) {
  const ran = new Set(
    resultFiles
      .filter((file) => existsSync(file))
      .flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).testResults)
      .map(({ name }) => path.relative(root, name)),
  );
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: root }))
    .filter((file) => !ran.has(file));
}

/** The patterns that match no test file in the results. As in jest, a pattern matches a whole path or one from `root`, and `./` means its beginning. */
function unmatchedPatterns(resultFile, root, patterns) {
  const { testResults } = existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')) : { testResults: [] };
  const paths = testResults.flatMap(({ name }) => [name, path.relative(root, name)]);
  return patterns.filter((pattern) => {
    const expression = new RegExp(pattern.replace(/^\.\//, '^'), 'i');
    return !paths.some((one) => expression.test(one));
  });
}

module.exports = { missingFiles, splitGroups, unmatchedPatterns };
