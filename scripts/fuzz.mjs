// npm run fuzz: hostile requests to every route of both APIs, to webhooks and in the protocol of agents.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './lib/build.cjs';
import { startChild } from './lib/child.cjs';
import { ROOT } from './lib/find-servers.cjs';
import { ensureServers } from './lib/install-servers.cjs';
import { prepareRuntime } from './lib/prepare-runtime.cjs';

const USAGE = `npm run fuzz -- [options]
  --requests N   about as many requests in all (default 100000)
  --seed N       selects the requests (default 1)
  --only NAME    one of gateway, console, webhooks, agent`;

/** Measured ratio of the requests of all test files to the setting `REQUESTS_PER_ROUTE` (test/fuzz/fuzz-settings.ts). */
const REQUESTS_IN_ALL_FACTOR = 90;
const ROUTE_TIME_LIMIT_MS = 30 * 60_000;
const JEST = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
const say = (text) => console.log(text);

const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});
const [requests, seed] = [Number(options.requests), Number(options.seed)];
if (options.help || !Number.isSafeInteger(requests) || requests < 1 || !Number.isSafeInteger(seed)) {
  say(USAGE);
  process.exit(options.help ? 0 : 1);
}

await prepareRuntime({ say }).catch((error) => {
  console.error(error.message);
  process.exit(1);
});

const resultFolder = await mkdtemp(join(tmpdir(), 'batuta-fuzz-'));
let running;
// Keeps this process alive; the child process alone does not.
const keepAliveTimer = setInterval(() => {}, 60_000);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void running?.stop());
try {
  await ensureServers({ say });
  await ensureBuilt({ say });
  const report = join(resultFolder, 'report');
  running = await startChild({
    command: process.execPath,
    args: [
      JEST,
      '--selectProjects=e2e',
      `--testPathPatterns=test/fuzz/${options.only}`,
      '--maxWorkers=2',
      '--forceExit',
    ],
    cwd: ROOT,
    inherit: true,
    env: {
      ...process.env,
      FUZZ_SEED: String(seed),
      FUZZ_RUNS: String(Math.ceil(requests / REQUESTS_IN_ALL_FACTOR)),
      FUZZ_ROUTE_MS: String(ROUTE_TIME_LIMIT_MS),
      FUZZ_REPORT: report,
    },
  });
  const { code } = await running.exited;
  await running.stop();
  say(`\n${summaryOf(await readFile(report, 'utf8'))}`);
  process.exitCode = code === 0 ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  clearInterval(keepAliveTimer);
  await rm(resultFolder, { recursive: true, force: true });
}

/** The sums of the measured values of all test files, each of which has written a line of JSON. */
function summaryOf(lines) {
  const parts = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const total = parts.reduce((sum, { sent }) => sum + sent, 0);
  const codes = {};
  for (const { routes } of parts) {
    for (const [code, times] of Object.values(routes).flatMap(Object.entries)) codes[code] = (codes[code] ?? 0) + times;
  }
  const rows = parts.map(
    ({ name, sent, seconds, before, after }) =>
      `${name.padEnd(16)}${String(sent).padStart(8)}${String(seconds).padStart(9)}${before.toFixed(0).padStart(16)}${after.toFixed(0).padStart(9)}`,
  );
  const counted = Object.entries(codes).map(([code, times]) => `${times} × ${code}`);
  return [
    `${total} requests, seed ${seed}`,
    'part            requests  seconds  MB, warmed up  MB, end',
    ...rows,
    `answers: ${counted.join(' · ')}`,
  ].join('\n');
}
