import { cpus, totalmem } from 'node:os';
import { checkAccounts, CountedLoad } from './accounts.mjs';
import { measureAnswering, untilDone } from './answering.mjs';
import { judge } from './bars.mjs';
import { BenchAgent } from './bench-agent.mjs';
import { startGround } from './ground.mjs';
import { createGenerator } from './load/generators.mjs';
import { startFloor, startServices } from './programs.mjs';
import { floorRequests, hookOf, startOf } from './requests.mjs';
import { measureStarting } from './starting.mjs';
import { measureThroughput, ratioTo } from './throughput.mjs';
import { busyShare, residentMegabytes, untilIdle } from './usage.mjs';
import { measureWaiting } from './waiting.mjs';
import { makeCompany } from './world.mjs';

const COMPANIES = 100;
/** The most that the database may take to tidy up before single starts are measured. */
const TIDYING_SECONDS = 60;

/** Brings everything up, measures, counts, takes everything down. Returns the figures of the report. */
export async function runBench({ options, say, signal }) {
  const busy = await busyShare();
  const running = [];
  const stopAll = async () => {
    for (const part of running.splice(0).toReversed()) await part.stop();
  };
  signal.addEventListener('abort', () => void stopAll());
  try {
    say('Starting MariaDB, NATS, the services and the floor …');
    const ground = await startGround();
    running.push(ground);
    const floor = await startFloor(ground);
    running.push(floor.http, floor.responder);
    const services = await startServices(ground, options);
    running.push(...Object.values(services));
    const generator = createGenerator(options.generator, ground.folder);
    running.push(generator);
    return { ...(await measure({ ground, floor, services, generator, options, say })), busy };
  } finally {
    await stopAll();
  }
}

async function measure({ ground, floor, services, generator, options, say }) {
  const [single, ...hundred] = await makeCompanies(ground.database, 1 + COMPANIES);
  const gateway = services.gateway.url;
  const load = new CountedLoad(generator, gateway);
  const targets = targetsOf({ ground, floor, services, generator, single, hundred });
  say('Measuring throughput …');
  const cells = await measureThroughput({ load, targets, options, say });

  say('Measuring starts with an agent connected …');
  const agent = await BenchAgent.connect(services.router.url, single.online.activationKey);
  const start = startOf(single, single.online);
  // First under load: engines compile what they do often, and the floor has had its share of that.
  const agents = await measureWithAgent({ load, url: gateway, start, agent, options });
  await untilDone(ground.database, single.online);
  await untilIdle(TIDYING_SECONDS);
  const starting = await measureStarting({
    url: gateway,
    start,
    floorUrl: floor.http.url,
    agent,
    count: options.singleStarts,
  });
  load.add({ ok: starting.sent, sent: starting.sent, wrong: 0 });
  agent.close();

  say('Measuring webhooks that wait for the answer …');
  const answering = await measureAnswering({ load, ground, services, pids: targets[1].pids, single, options });
  const memory = Object.fromEntries(Object.entries(services).map(([name, { pid }]) => [name, residentMegabytes(pid)]));
  const waiting = await measureWaiting({ load, ground, services, single });
  const { rows, faults } = await checkAccounts({ load, url: gateway, single, database: ground.database, options });
  const floorAt = (connections) => cells.find((cell) => cell.target === 'floor' && cell.connections === connections);
  const ratios = cells
    .filter(({ target }) => target !== 'floor')
    .map(({ target, connections, ...cell }) => ({ target, connections, ...ratioTo(floorAt(connections), cell) }));
  const verdicts = judge({ ratios, cells, starting, memory, answering, waiting });
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
    verdicts,
    faults,
  };
}

async function makeCompanies(database, count) {
  const companies = [];
  for (let made = 0; made < count; made++) companies.push(await makeCompany(database));
  return companies;
}

/** Starts go to an environment without agents that keeps a queue: what is measured is acceptance alone. */
function targetsOf({ ground, floor, services, generator, single, hundred }) {
  const common = { mariadb: ground.mariadb.pid, nats: ground.nats.pid };
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
    { name: `${COMPANIES} companies`, requests: ofHundred, ...product },
  ];
}

/** Both a second, while one agent runs whatever it is given. */
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
