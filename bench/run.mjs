import { cpus, totalmem } from 'node:os';
import { compareRowsWithAnswers, CountedLoad } from './row-counts.mjs';
import { measureAnswering, untilDone } from './answering.mjs';
import { compareWithBars } from './bars.mjs';
import { BenchAgent } from './bench-agent.mjs';
import { startServers } from './servers.mjs';
import { createGenerator } from './load/generators.mjs';
import { withRunningPrograms } from './running-programs.mjs';
import { startFloor, startServices } from './programs.mjs';
import { floorRequests, hookOf, startOf } from './requests.mjs';
import { measureSingleStarts } from './starting.mjs';
import { measureThroughput, ratioTo } from './throughput.mjs';
import { busyShare, residentMegabytes, untilIdle } from './usage.mjs';
import { measureWaiting } from './waiting.mjs';
import { makeCompany } from './world.mjs';

const COMPANY_COUNT = 100;
/** Time limit for the database to become idle before single starts are measured. */
const IDLE_TIME_LIMIT_SECONDS = 60;

/** The default run: starts everything, measures, compares the rows with the answers, stops everything. Returns the results for `toText`. */
export async function runBench({ options, say, signal }) {
  const busy = await busyShare();
  return withRunningPrograms(signal, async (running) => {
    say('Starting MariaDB, NATS, the services and the floor …');
    const servers = await startServers();
    running.push(servers);
    const floor = await startFloor(servers);
    running.push(floor.http, floor.responder);
    const services = await startServices(servers, options);
    running.push(...Object.values(services));
    const generator = createGenerator(options.generator, servers.folder);
    running.push(generator);
    return { ...(await measure({ servers, floor, services, generator, options, say })), busy };
  });
}

async function measure({ servers, floor, services, generator, options, say }) {
  const [single, ...hundred] = await makeCompanies(servers.database, 1 + COMPANY_COUNT);
  const gateway = services.gateway.url;
  const load = new CountedLoad(generator, gateway);
  const targets = targetsOf({ servers, floor, services, generator, single, hundred });
  say('Measuring throughput …');
  const cells = await measureThroughput({ load, targets, options, say });

  say('Measuring starts with an agent connected …');
  const agent = await BenchAgent.connect(services.router.url, single.online.activationKey);
  const start = startOf(single, single.online);
  // Measures the services under load first, so that V8 compiles their hot code; the floor has been under load already.
  const agents = await measureWithAgent({ load, url: gateway, start, agent, options });
  await untilDone(servers.database, single.online);
  await untilIdle(IDLE_TIME_LIMIT_SECONDS);
  const starting = await measureSingleStarts({
    url: gateway,
    start,
    floorUrl: floor.http.url,
    agent,
    count: options.singleStarts,
  });
  load.add({ ok: starting.sent, sent: starting.sent, wrong: 0 });
  agent.close();

  say('Measuring webhooks that wait for the answer …');
  const answering = await measureAnswering({ load, servers, services, pids: targets[1].pids, single, options });
  const memory = Object.fromEntries(Object.entries(services).map(([name, { pid }]) => [name, residentMegabytes(pid)]));
  const waiting = await measureWaiting({ load, servers, services, single });
  const { rows, faults } = await compareRowsWithAnswers({
    load,
    url: gateway,
    single,
    database: servers.database,
    options,
  });
  const floorAt = (connections) => cells.find((cell) => cell.target === 'floor' && cell.connections === connections);
  const ratios = cells
    .filter(({ target }) => target !== 'floor')
    .map(({ target, connections, ...cell }) => ({ target, connections, ...ratioTo(floorAt(connections), cell) }));
  const bars = compareWithBars({ ratios, cells, starting, memory, answering, waiting });
  const measuredAt = new Date().toISOString();
  return {
    measuredAt,
    machine: machine(options),
    cells,
    ratios,
    agents,
    starting,
    answering,
    waiting,
    memory,
    rows,
    bars,
    faults,
  };
}

async function makeCompanies(database, count) {
  const companies = [];
  for (let made = 0; made < count; made++) companies.push(await makeCompany(database));
  return companies;
}

/** What is put under load. Starts go to an environment with a queue and without agents, so that only the acceptance is measured. */
function targetsOf({ servers, floor, services, generator, single, hundred }) {
  const common = { mariadb: servers.mariadb.pid, nats: servers.nats.pid };
  if (generator.pid) common.load = generator.pid;
  const pids = Object.fromEntries(Object.entries(services).map(([name, { pid }]) => [name, pid]));
  const product = { url: services.gateway.url, pids: { ...pids, ...common } };
  const ofOne = [startOf(single, single.queued)];
  const ofHundred = hundred.map((company) => startOf(company, company.queued));
  return [
    {
      name: 'floor',
      url: floor.http.url,
      requests: floorRequests(ofOne),
      pids: { http: floor.http.pid, responder: floor.responder.pid, ...common },
    },
    { name: '1 company', requests: ofOne, ...product },
    { name: 'webhook', requests: [hookOf(single.queued)], ...product },
    { name: `${COMPANY_COUNT} companies`, requests: ofHundred, ...product },
  ];
}

/** Starts and ends per second while one agent runs every instance. */
async function measureWithAgent({ load, url, start, agent, options: { seconds } }) {
  const before = agent.finished;
  const { ok, seconds: took } = await load.measure({ url, requests: [start], connections: 50, seconds });
  return { perSecond: ok / took, finished: (agent.finished - before) / took };
}

function machine({ generator, seconds, rounds }) {
  const [{ model }] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return { cpus: cpus().length, model, gigabytes, node: process.version, generator, seconds, rounds };
}
