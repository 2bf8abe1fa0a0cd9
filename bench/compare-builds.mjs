import { Agent } from 'node:http';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../scripts/lib/find-servers.cjs';
import { untilConnected, untilDone } from './answering.mjs';
import { createGenerator } from './load/generators.mjs';
import { callAsOtherCompany } from './other-company.mjs';
import { withRunningPrograms } from './running-programs.mjs';
import { startFloor } from './programs.mjs';
import { table } from './report.mjs';
import { startServers } from './servers.mjs';
import { createFloorCall, repeat, startToRunning, CALLS_PER_TURN, WARM_UP_CALL_COUNT } from './starting.mjs';
import { quantile, sum } from './statistics.mjs';
import { measureThroughput } from './throughput.mjs';

const WARM_UP_MS = 5_000;
const WARM_UP_CLIENT_COUNT = 10;
/** Pause after the warm-up, in which the work that it left comes to rest. */
const SETTLE_MS = 3_000;
/** The modules that are taken from the checkout of each build, because they start its programs, and know its tables and routes. */
const BUILD_MODULES = ['programs', 'world', 'requests', 'bench-agent'];

/**
 * Compares this build with the build of another checkout: first the time from a start to running, in turns with calls of one floor, then the
 * throughput and the processor time under load, also in turns. The speed of a machine varies over time, so the effect of a change shows only
 * when both builds are measured in one run. Each build has its own database, with equal settings, NATS and services. Returns the report as
 * text; the other checkout must be built (`npm run build` there).
 */
export async function compareBuilds({ options, say, signal }) {
  const http = new Agent({ keepAlive: true, maxSockets: 1 });
  return withRunningPrograms(signal, async (running) => {
    running.push({ stop: () => http.destroy() });
    const builds = [];
    for (const folder of [resolve(options.beside), ROOT]) {
      say(`Starting the build in ${folder} …`);
      builds.push(await startBuild({ name: folder, folder, http, running }));
    }
    const floor = await startFloor(builds[1].servers);
    running.push(floor.http, floor.responder);
    const callFloor = createFloorCall({ http, floorUrl: floor.http.url, start: builds[1].start });
    await repeat(WARM_UP_CALL_COUNT, callFloor);
    await new Promise((done) => setTimeout(done, SETTLE_MS));
    say('Measuring single starts …');
    const single = singleStartReport(builds, await takeTurns({ builds, callFloor, count: options.singleStarts }));
    say('Measuring under load …');
    const load = createGenerator(options.generator, builds[1].servers.folder);
    running.push(load);
    const cells = await measureThroughput({ load, targets: builds.flatMap(({ targets }) => targets), options, say });
    return [single, loadReport(cells), ...refusalLines(builds)].join('\n\n');
  });
}

/**
 * Starts servers, services and agents of the build in `folder`, and adds them to `running`; `env` is added to the environment of each service.
 * `startOne` makes a single start and waits for its end; `targets` are what `measureThroughput` puts under load; `refusals` are those of the
 * other company, which calls from then on.
 */
export async function startBuild({ name, folder, env = {}, http, running }) {
  const [programs, world, requests, bench] = await Promise.all(
    BUILD_MODULES.map((module) => import(pathToFileURL(join(folder, 'bench', `${module}.mjs`)).href)),
  );
  const servers = await startServers(folder);
  running.push(servers);
  const services = await programs.startServices(servers, { env });
  running.push(...Object.values(services));
  const company = await world.makeCompany(servers.database);
  const agent = await bench.BenchAgent.connect(services.router.url, company.online.activationKey);
  running.push({ stop: () => agent.close() });
  const start = requests.startOf(company, company.online);
  const startOne = (client = http) => startToRunning({ http: client, url: services.gateway.url, start, agent });
  await warmUp(startOne);
  const { activationKey, processes } = await world.makeAnsweringProcesses(servers.database, company, 1);
  running.push(await programs.startAgent(servers, { url: services.router.url, key: activationKey }));
  await untilConnected(servers.database, 'bench-reference');
  const other = await world.makeCompany(servers.database);
  const otherCompany = callAsOtherCompany({ url: services.gateway.url, start: requests.startOf(other, other.queued) });
  running.push(otherCompany);
  const common = { url: services.gateway.url, pids: pidsOf(servers, services) };
  const target = (kind, request, settle) => ({ name: { kind, build: name }, requests: [request], settle, ...common });
  const targets = [
    target('accepted', requests.startOf(company, company.queued)),
    target('accepted and run', start, () => untilDone(servers.database, company.online)),
    target('answer awaited', requests.hookOf(processes[0])),
  ];
  return { name, servers, start, startOne, targets, refusals: otherCompany.refusals };
}

function pidsOf({ mariadb, nats }, services) {
  const pids = Object.entries(services).map(([name, { pid }]) => [name, pid]);
  return { ...Object.fromEntries(pids), mariadb: mariadb.pid, nats: nats.pid };
}

/** Makes starts that are not measured, so that V8 compiles the hot code of the build's programs. */
async function warmUp(startOne) {
  const until = Date.now() + WARM_UP_MS;
  const clients = Array.from({ length: WARM_UP_CLIENT_COUNT }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  await Promise.all(
    clients.map(async (client) => {
      while (Date.now() < until) await startOne(client);
      client.destroy();
    }),
  );
}

/** Single starts of the builds and calls of the floor in turns: the time of each, in milliseconds; `starts` by the index of the build. */
async function takeTurns({ builds, callFloor, count }) {
  const taken = { floor: [], starts: builds.map(() => []) };
  for (let turn = 0; turn * CALLS_PER_TURN < count; turn++) {
    taken.floor.push(...(await repeat(CALLS_PER_TURN, callFloor)));
    const order = [...builds.keys()];
    for (const index of turn % 2 === 0 ? order : order.toReversed()) {
      taken.starts[index].push(...(await repeat(CALLS_PER_TURN, () => builds[index].startOne())));
    }
  }
  return taken;
}

/** The text about single starts: a line for each build. */
function singleStartReport(builds, { floor, starts }) {
  const p50 = quantile(floor, 0.5);
  const line = ({ name }, some) => {
    const [running, answered] = ['fromSent', 'answer'].map((moment) =>
      quantile(
        some.map((one) => one[moment]),
        0.5,
      ),
    );
    return `  ${name}: running after ${running.toFixed(2)} ms (${(running / p50).toFixed(2)}), answered after ${answered.toFixed(2)} ms`;
  };
  return [
    `Single starts, ${starts[0].length} of each build, p50 from the request sent (in brackets: ratio to a call of the floor, ${p50.toFixed(2)} ms)`,
    ...builds.map((build, index) => line(build, starts[index])),
  ].join('\n');
}

/** A line for each build that refused a start of the other company, which makes two a second; the line has the first refusal. */
export function refusalLines(builds) {
  return builds.flatMap(({ name, refusals: [first] }) => (first ? [`WRONG: ${name}: ${first}`] : []));
}

/**
 * A table with the rate, the latency and the processor time per request of each build. The processor time, in microseconds, is that of all
 * services, MariaDB and NATS together, without agents and the program that sends the load.
 */
export function loadReport(cells) {
  const head = ['connections', 'what', 'build', 'a second', 'p50 ms', 'p99 ms', 'CPU us', 'of which'];
  const rows = cells.map(({ target: { kind, build }, connections, perSecond, p50, p99, cpu }) => [
    String(connections),
    kind,
    build,
    perSecond.toFixed(0),
    p50.toFixed(2),
    p99.toFixed(2),
    sum(Object.values(cpu)).toFixed(0),
    Object.entries(cpu)
      .map(([name, used]) => `${name} ${used.toFixed(0)}`)
      .join(' '),
  ]);
  const sorted = rows.toSorted((a, b) => Number(a[0]) - Number(b[0]) || a[1].localeCompare(b[1]));
  return ['Under load, the builds in turns', ...table(head, sorted)].join('\n');
}
