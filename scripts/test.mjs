// npm test: lint (with the type check), build, unit and e2e tests, and whether docs/conformance.md cites only tests that passed in this run.
// `npm test -- unit libs/flow` runs only the named stages, and of the tests only the files whose path matches.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { ensureBrowser } from './lib/browser.cjs';
import { ensureBuilt } from './lib/build.cjs';
import { startChild } from './lib/child.cjs';
import { checkConformance } from './lib/conformance.cjs';
import { npmCommand } from './lib/dependencies.cjs';
import { ROOT } from './lib/find-servers.cjs';
import { ensureServers } from './lib/install-servers.cjs';
import { missingFiles, splitGroups, unmatchedPatterns } from './lib/jest-results.cjs';
import { prepareRuntime } from './lib/prepare-runtime.cjs';
import { countResults, slowestFiles, summaryLine } from './lib/summary.cjs';

const STAGES = ['lint', 'build', 'unit', 'e2e', 'conformance'];
/**
 * Stages of one group run at the same time. The tests need the build; lint uses one processor, so it runs beside the tests. Unit and
 * e2e tests share one jest, whose workers are all busy until the end, and its servers.
 */
const STAGE_GROUPS = [['build'], ['lint', 'unit', 'e2e'], ['conformance']];
const ALL_TESTS = 'unit and e2e';
const STAGE_TIME_LIMIT_MINUTES = 25;
const TEST_FOLDERS = { unit: ['apps', 'libs', 'test/unit'], e2e: ['test/e2e', 'test/fuzz', 'test/abuse'] };
/**
 * More workers than the usual two cores, because tests wait for more than half of their time. A worker of unit tests takes half a
 * gigabyte of memory; a worker of e2e tests, with up to ten services, MariaDB and NATS, takes 2 GB.
 */
const UNIT_WORKERS = 6;
const MAX_E2E_WORKERS = 4;
/**
 * Memory of the machine for each worker of e2e tests: more than a worker takes. There are at least three workers, and at most
 * MAX_E2E_WORKERS.
 */
const E2E_WORKER_BYTES = 3 * 2 ** 30;
const E2E_WORKERS = Math.max(3, Math.min(MAX_E2E_WORKERS, Math.floor(totalmem() / E2E_WORKER_BYTES)));
/**
 * Gives jest and its workers much memory from the start. V8's default new space is full after milliseconds of a test, and its heap grows only
 * after garbage collections; the collections that these settings avoid take eight percent of the processor time.
 */
const MEMORY_OPTIONS = ['--min-semi-space-size=64', '--max-semi-space-size=64', '--initial-old-space-size=1024'];
const SLOWEST_FILE_COUNT = 10;
const JEST = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
const say = (text) => console.log(text);

const commandArguments = process.argv.slice(2);
const patterns = commandArguments.filter((argument) => !STAGES.includes(argument));
const namedStages = commandArguments.filter((argument) => STAGES.includes(argument));
const chosenStages = namedStages.length > 0 ? namedStages : STAGES;
if (patterns.length > 0 && !chosenStages.every((stage) => ['build', 'unit', 'e2e'].includes(stage))) {
  console.error(
    `no such stage: ${patterns.join(', ')} (there are ${STAGES.join(', ')}; paths need unit or e2e before them)`,
  );
  process.exit(2);
}

await prepareRuntime({ say }).catch((error) => {
  console.error(`${error.message}\n\nFailed: preparation`);
  say(summaryLine({ passed: 0, failed: 0 }));
  process.exit(1);
});

const resultFolder = await mkdtemp(join(tmpdir(), 'batuta-results-'));
const resultFiles = [];
const runningChildren = new Set();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void stopAndExit());
process.exitCode = await runStages();

async function runStages() {
  let conformanceComplaints = [];
  const stages = {
    lint: () => runNpm('lint'),
    build: () => ensureBuilt({ say }).then(() => true),
    unit: () => runTests(['unit'], UNIT_WORKERS),
    e2e: () => runTests(['e2e'], E2E_WORKERS),
    [ALL_TESTS]: () => runTests(['unit', 'e2e'], E2E_WORKERS),
    conformance: () => {
      conformanceComplaints = checkConformance(ROOT, resultFiles);
      for (const complaint of conformanceComplaints) say(complaint);
      return conformanceComplaints.length === 0;
    },
  };
  const failures = [];
  try {
    await ensureServers({ say });
    // The browser is installed before the tests, because its installation can take longer than the time limit of a test. Without a browser the
    // tests of browser steps fail, with the same message.
    if (chosenStages.some((stage) => stage in TEST_FOLDERS))
      await ensureBrowser({ say }).catch(({ message }) => say(message));
    for (const group of STAGE_GROUPS) {
      const names = withTestsTogether(group.filter((name) => chosenStages.includes(name)));
      if (names.length > 0) say(`\n── ${names.join(', ')}`);
      const outcomes = await Promise.all(names.map((name) => succeeds(stages[name])));
      failures.push(...names.filter((_, index) => !outcomes[index]));
    }
  } catch (error) {
    console.error(error.message);
    failures.push('preparation');
  }
  const slowest = slowestFiles(resultFiles, ROOT, SLOWEST_FILE_COUNT);
  const counts = countResults(resultFiles);
  // A wrong citation counts as a failed test, because otherwise the last line would say that everything passed.
  counts.failed += conformanceComplaints.length;
  await rm(resultFolder, { recursive: true, force: true });
  if (slowest.length > 0) say(`\nSlowest files\n${slowest.join('\n')}`);
  say(failures.length > 0 ? `\nFailed: ${failures.join(', ')}` : '\nAll well');
  say(summaryLine(counts));
  return failures.length > 0 || counts.failed > 0 ? 1 : 0;
}

/** Replaces the stages `unit` and `e2e`, when both are chosen, by the one stage that runs both. */
function withTestsTogether(names) {
  if (!['unit', 'e2e'].every((name) => names.includes(name))) return names;
  return [...names.filter((name) => !(name in TEST_FOLDERS)), ALL_TESTS];
}

async function succeeds(stage) {
  try {
    return await stage();
  } catch (error) {
    console.error(error.message);
    return false;
  }
}

function runNpm(script) {
  const { command, first } = npmCommand();
  return runToEnd(command, [...first, 'run', '--silent', script]);
}

function runJest(projects, workers, outputFile) {
  resultFiles.push(outputFile);
  const args = [JEST, '--selectProjects', ...projects, `--maxWorkers=${workers}`, '--json', '--forceExit'];
  args.push(...patterns.map((pattern) => `--testPathPatterns=${pattern}`));
  return runToEnd(process.execPath, [...MEMORY_OPTIONS, ...args, `--outputFile=${outputFile}`]);
}

/**
 * Runs the tests. All unit tests take half of the processor time when jest runs the files of a folder as one file (test/groups). Tests of
 * chosen paths run file by file.
 */
async function runTests(kinds, workers) {
  const resultFile = join(resultFolder, `${kinds.join('-')}.json`);
  if (patterns.length > 0) {
    const passed = await runJest(kinds, workers, resultFile);
    const unmatched = unmatchedPatterns(resultFile, ROOT, patterns);
    for (const pattern of unmatched)
      console.error(`${pattern}: no test file of ${kinds.join(' and ')} that matches has run`);
    return passed && unmatched.length === 0;
  }
  const projects = kinds.map((kind) => `${kind}-groups`);
  const passed = await runJest(projects, workers, resultFile);
  splitGroups(resultFile, ROOT);
  const folders = kinds.flatMap((kind) => TEST_FOLDERS[kind]);
  const missing = missingFiles([resultFile], ROOT, folders);
  for (const file of missing) console.error(`${file}: did not run; no file of test/groups names its folder`);
  return passed && missing.length === 0;
}

/**
 * Resolves to true when the program ends with exit code 0 within the time limit. After the limit the program is stopped, so that the last line
 * of the test run is always printed.
 */
async function runToEnd(command, args) {
  const child = await startChild({ command, args, cwd: ROOT, inherit: true });
  runningChildren.add(child);
  const timer = setTimeout(() => {
    console.error(`${args.join(' ')} still ran after ${STAGE_TIME_LIMIT_MINUTES} minutes and was stopped`);
    void child.stop();
  }, STAGE_TIME_LIMIT_MINUTES * 60_000);
  const { code } = await child.exited;
  clearTimeout(timer);
  await child.stop();
  runningChildren.delete(child);
  return code === 0;
}

async function stopAndExit() {
  await Promise.all([...runningChildren].map((child) => child.stop()));
  await rm(resultFolder, { recursive: true, force: true });
  process.exit(130);
}
