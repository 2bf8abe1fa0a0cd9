// npm test: lint, types, build, unit and e2e tests, and whether docs/conformance.md cites only tests that passed in this very
// run; whatever of it is named, without names all of it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from './lib/build.cjs';
import { startChild } from './lib/child.cjs';
import { checkConformance } from './lib/conformance.cjs';
import { npm } from './lib/dependencies.cjs';
import { ROOT } from './lib/find-servers.cjs';
import { ensureServers } from './lib/install-servers.cjs';
import { prepareRuntime } from './lib/runtime.cjs';
import { countResults, summaryLine } from './lib/summary.cjs';

const STAGES = ['lint', 'types', 'build', 'unit', 'e2e', 'conformance'];
const STAGE_MINUTES = 18;
const JEST = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
const say = (text) => console.log(text);

const chosen = process.argv.length > 2 ? process.argv.slice(2) : STAGES;
const unknown = chosen.filter((stage) => !STAGES.includes(stage));
if (unknown.length > 0) {
  console.error(`no such stage: ${unknown.join(', ')} (there are ${STAGES.join(', ')})`);
  process.exit(2);
}

await prepareRuntime({ say }).catch((error) => {
  console.error(`${error.message}\n\nFailed: preparation`);
  say(summaryLine({ passed: 0, failed: 0 }));
  process.exit(1);
});

const results = await mkdtemp(join(tmpdir(), 'batuta-results-'));
const running = new Set();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void giveUp());
process.exitCode = await runStages();

async function runStages() {
  const failures = [];
  const counted = [];
  let unproven = [];
  const stages = {
    lint: () => runNpm('lint'),
    types: () => runNpm('types'),
    build: () => ensureBuilt({ say }).then(() => true),
    unit: () => runJest('unit', counted),
    e2e: () => runJest('e2e', counted, ['--maxWorkers=2']),
    conformance: () => {
      unproven = checkConformance(ROOT, counted);
      for (const complaint of unproven) say(complaint);
      return unproven.length === 0;
    },
  };
  try {
    await ensureServers({ say });
    for (const stage of STAGES.filter((name) => chosen.includes(name))) {
      say(`\n── ${stage}`);
      if (!(await succeeds(stages[stage]))) failures.push(stage);
    }
  } catch (error) {
    console.error(error.message);
    failures.push('preparation');
  }
  const counts = countResults(counted);
  // A citation that does not hold is a failed test: the last line must not say that all is well.
  counts.failed += unproven.length;
  await rm(results, { recursive: true, force: true });
  say(failures.length > 0 ? `\nFailed: ${failures.join(', ')}` : '\nAll well');
  say(summaryLine(counts));
  return failures.length > 0 || counts.failed > 0 ? 1 : 0;
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
  const { command, first } = npm();
  return runToEnd(command, [...first, 'run', '--silent', script]);
}

function runJest(project, counted, more = []) {
  const outputFile = join(results, `${project}.json`);
  counted.push(outputFile);
  return runToEnd(process.execPath, [
    JEST,
    '--selectProjects',
    project,
    '--json',
    '--forceExit',
    `--outputFile=${outputFile}`,
    ...more,
  ]);
}

/** True when the program ends with 0 in time. One that hangs must not hold up the last line. */
async function runToEnd(command, args) {
  const child = await startChild({ command, args, cwd: ROOT, inherit: true });
  running.add(child);
  const late = setTimeout(() => {
    console.error(`still running after ${STAGE_MINUTES} minutes, ended`);
    void child.stop();
  }, STAGE_MINUTES * 60_000);
  const { code } = await child.exited;
  clearTimeout(late);
  await child.stop();
  running.delete(child);
  return code === 0;
}

async function giveUp() {
  await Promise.all([...running].map((child) => child.stop()));
  await rm(results, { recursive: true, force: true });
  process.exit(130);
}
