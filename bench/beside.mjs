import { Agent } from 'node:http';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../scripts/lib/find-servers.cjs';
import { startServers } from './servers.mjs';
import { startFloor } from './programs.mjs';
import { floorCall, repeat, startToRunning, TURN, WARM_UP } from './starting.mjs';
import { quantile } from './statistics.mjs';

const WARM_UP_MS = 5_000;
const WARM_UP_CLIENT_COUNT = 10;
const SETTLE_MS = 3_000;
const BUILD_MODULES = ['programs', 'world', 'requests', 'bench-agent'];

/**
 * Start to running of this build and of another checkout's, alternating with calls of one floor. The speed of a machine varies
 * over time, so the effect of a change shows only when both builds are measured in one run. Each build has its own database,
 * with equal settings, NATS and services. Returns lines of text; the other checkout must be built (`npm run build` there).
 */
export async function runBeside({ options, say, signal }) {
  const running = [];
  const stopAll = async () => {
    for (const program of running.splice(0).toReversed()) await program.stop();
  };
  signal.addEventListener('abort', () => void stopAll());
  const http = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const builds = [];
    for (const folder of [resolve(options.beside), ROOT]) {
      say(`Starting the build in ${folder} …`);
      builds.push(await startBuild({ folder, http, running }));
    }
    const floor = await startFloor(builds[1].servers);
    running.push(floor.http, floor.responder);
    const callFloor = floorCall({ http, floorUrl: floor.http.url, start: builds[1].start });
    await repeat(WARM_UP, callFloor);
    await new Promise((done) => setTimeout(done, SETTLE_MS));
    say('Measuring single starts …');
    return report(builds, await takeTurns({ builds, callFloor, count: options.singleStarts }));
  } finally {
    http.destroy();
    await stopAll();
  }
}

async function startBuild({ folder, http, running }) {
  const [programs, world, requests, bench] = await Promise.all(
    BUILD_MODULES.map((name) => import(pathToFileURL(join(folder, 'bench', `${name}.mjs`)).href)),
  );
  const servers = await startServers(folder);
  running.push(servers);
  const services = await programs.startServices(servers, {});
  running.push(...Object.values(services));
  const company = await world.makeCompany(servers.database);
  const agent = await bench.BenchAgent.connect(services.router.url, company.online.activationKey);
  running.push({ stop: () => agent.close() });
  const start = requests.startOf(company, company.online);
  const startOne = (client = http) => startToRunning({ http: client, url: services.gateway.url, start, agent });
  await warmUp(startOne);
  return { folder, servers, start, startOne };
}

/** Makes calls that are not measured, so that the engines compile their hot code. */
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

async function takeTurns({ builds, callFloor, count }) {
  const taken = { floor: [], starts: builds.map(() => []) };
  for (let turn = 0; turn * TURN < count; turn++) {
    taken.floor.push(...(await repeat(TURN, callFloor)));
    const order = [...builds.keys()];
    for (const index of turn % 2 === 0 ? order : order.toReversed()) {
      taken.starts[index].push(...(await repeat(TURN, () => builds[index].startOne())));
    }
  }
  return taken;
}

function report(builds, { floor, starts }) {
  const p50 = quantile(floor, 0.5);
  const line = ({ folder }, some) => {
    const [running, answered] = ['fromSent', 'answer'].map((name) =>
      quantile(
        some.map((one) => one[name]),
        0.5,
      ),
    );
    return `  ${folder}: running after ${running.toFixed(2)} ms (${(running / p50).toFixed(2)}), answered after ${answered.toFixed(2)} ms`;
  };
  return [
    `Single starts, ${starts[0].length} of each build, p50 from the request sent (in brackets: ratio to a call of the floor, ${p50.toFixed(2)} ms)`,
    ...builds.map((build, index) => line(build, starts[index])),
  ].join('\n');
}
