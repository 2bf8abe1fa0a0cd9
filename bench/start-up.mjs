import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../scripts/lib/find-servers.cjs';
import { untilDone } from './answering.mjs';
import { BenchAgent } from './bench-agent.mjs';
import { createGenerator } from './load/generators.mjs';
import { withRunningPrograms } from './running-programs.mjs';
import { SERVICES, startAllInOne, startService } from './programs.mjs';
import { barLine, busyWarning, table } from './report.mjs';
import { startOf } from './requests.mjs';
import { startServers } from './servers.mjs';
import { median } from './statistics.mjs';
import { busyShare, cpuMicroseconds, residentMegabytes } from './usage.mjs';
import { makeCompany } from './world.mjs';

const LOAD_CONNECTIONS = 50;
const MAX_SERVICE_SECONDS = 0.6;
const MAX_LOCAL_SECONDS = 3;
const MAX_ALL_IN_ONE_MEGABYTES = 250;
/** Time limit of one `npm start`; the first one makes the database. */
const LOCAL_START_LIMIT_MS = 180_000;
/** `npm start` prints a text with this last, when everything runs. */
const LOCAL_READY_TEXT = 'Ctrl-C stops';

/**
 * Measures how long each service takes from the start of its process until it is ready, and `npm start` until it has printed its commands; and the memory of all
 * services in one process after starts under load. The services start as in the image.
 */
export async function runStartUp({ options, say, signal }) {
  const busy = await busyShare();
  const { services, allInOneMegabytes } = await withRunningPrograms(signal, async (running) => {
    say('Starting MariaDB and NATS …');
    const servers = await startServers();
    running.push(servers);
    return {
      services: await measureServices({ servers, options, say }),
      allInOneMegabytes: await measureAllInOne({ servers, running, options, say }),
    };
  });
  const local = await measureLocalStarts({ options, say, signal });
  const results = { busy, cpus: cpus().length, node: process.version, services, allInOneMegabytes, local };
  return { measuredAt: new Date().toISOString(), ...results, bars: compareWithBars(results) };
}

/** By service, the medians of several starts: seconds until it is ready, and seconds of processor time that it has used by then. */
async function measureServices({ servers, options, say }) {
  // The console tells people the address of the gateway, and does not call it.
  const env = { GATEWAY_PUBLIC_URL: 'https://gateway.example' };
  const measured = {};
  for (const name of SERVICES) {
    say(`Starting ${name} …`);
    const seconds = [];
    const processorSeconds = [];
    for (let start = 0; start < options.rounds; start++) {
      const began = performance.now();
      const service = await startService(servers, name, { env });
      seconds.push((performance.now() - began) / 1_000);
      processorSeconds.push(cpuMicroseconds(service.pid) / 1e6);
      await service.stop();
    }
    measured[name] = { seconds: median(seconds), processorSeconds: median(processorSeconds) };
  }
  return measured;
}

/**
 * The resident memory, in megabytes, of all services in one process after starts that are only accepted, and starts that an agent also runs.
 */
async function measureAllInOne({ servers, running, options, say }) {
  say('Measuring all services in one process …');
  const { pid, urls, ...program } = await startAllInOne(servers);
  running.push(program);
  const company = await makeCompany(servers.database);
  const agent = await BenchAgent.connect(urls.router, company.online.activationKey);
  const generator = createGenerator(options.generator, servers.folder);
  running.push(generator, { stop: () => agent.close() });
  for (const process of [company.queued, company.online]) {
    const order = { url: urls.gateway, requests: [startOf(company, process)], connections: LOAD_CONNECTIONS };
    const { wrong } = await generator.measure({ ...order, seconds: options.rounds * options.seconds });
    if (wrong > 0) throw new Error(`${wrong} wrong answers of all services in one process`);
  }
  await untilDone(servers.database, company.online);
  return residentMegabytes(pid);
}

/** Seconds of `npm start` in a new folder: the first one, which makes the database, and the median of the later ones. */
async function measureLocalStarts({ options, say, signal }) {
  say('Measuring npm start …');
  const folder = await mkdtemp(join(tmpdir(), 'batuta-bench-local-'));
  const seconds = [];
  try {
    for (let start = 0; start <= options.rounds && !signal.aborted; start++)
      seconds.push(await localStart(folder, signal));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { first: seconds[0], later: median(seconds.slice(1)) };
}

/** Seconds from the start of `npm start` until everything runs; then stops it. Rejects if it ends before. */
async function localStart(folder, signal) {
  const began = performance.now();
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'start.mjs')], {
    env: { ...process.env, BATUTA_LOCAL: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const stop = () => child.kill('SIGINT');
  signal.addEventListener('abort', stop);
  const limit = setTimeout(stop, LOCAL_START_LIMIT_MS);
  let output = '';
  try {
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
    for await (const text of child.stdout.setEncoding('utf8')) {
      output += text;
      if (output.includes(LOCAL_READY_TEXT)) return (performance.now() - began) / 1_000;
    }
    throw new Error(`npm start ended:\n${output}`);
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', stop);
    stop();
    await exited;
  }
}

/** The bars of docs/bench.md for starts of programs, each with the measured value and whether this run reached it. */
function compareWithBars({ services, allInOneMegabytes, local }) {
  const [slowest, { seconds }] = Object.entries(services).toSorted(([, a], [, b]) => b.seconds - a.seconds)[0];
  return [
    {
      bar: `every service is ready ≤ ${MAX_SERVICE_SECONDS} s after its start`,
      measured: `${seconds.toFixed(2)} s (${slowest})`,
      reached: seconds <= MAX_SERVICE_SECONDS,
    },
    {
      bar: `npm start, from the second time on, ≤ ${MAX_LOCAL_SECONDS} s`,
      measured: `${local.later.toFixed(1)} s`,
      reached: local.later <= MAX_LOCAL_SECONDS,
    },
    {
      bar: `all services in one process ≤ ${MAX_ALL_IN_ONE_MEGABYTES} MB after the load`,
      measured: `${allInOneMegabytes.toFixed(0)} MB`,
      reached: allInOneMegabytes <= MAX_ALL_IN_ONE_MEGABYTES,
    },
  ];
}

/** The results of `runStartUp` as text. */
export function startUpToText({ busy, cpus: count, node, services, allInOneMegabytes, local, bars }) {
  return [
    `Machine: ${count} processors, Node ${node}`,
    ...busyWarning(busy),
    '',
    'From the start of a service until it is ready, medians',
    ...table(
      ['service', 'seconds', 'processor seconds'],
      Object.entries(services).map(([name, { seconds, processorSeconds }]) => [
        name,
        seconds.toFixed(2),
        processorSeconds.toFixed(2),
      ]),
    ),
    '',
    `npm start: the first time ${local.first.toFixed(1)} s, later ${local.later.toFixed(1)} s (median)`,
    `All services in one process, after starts at ${LOAD_CONNECTIONS} connections: ${allInOneMegabytes.toFixed(0)} MB`,
    '',
    ...bars.map(barLine),
  ].join('\n');
}
