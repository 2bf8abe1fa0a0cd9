import { randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchAgent } from './bench-agent.mjs';
import { hookOf } from './requests.mjs';
import { residentMegabytes } from './usage.mjs';
import { makeAnsweringProcesses } from './world.mjs';

const WAITING_CALL_COUNT = 2_000;
/** The maximum number of waiting callers of one process (contract 8). */
const PERMITS_PER_PROCESS = 50;
const CONCURRENT_OPENINGS = 20;
const POLL_INTERVAL_MS = 50;
/** Time limit for all instances to run, and later to end. */
const WAIT_TIME_LIMIT_MS = 60_000;
/** Pause before the measurement, in which the garbage of the starts is collected: it must not count as memory of waiting calls. */
const SETTLE_MS = 3_000;
const KILOBYTES_PER_MEGABYTE = 1024;

/**
 * Measures the memory of waiting calls: the resident memory of all services before, and while 2,000 callers wait for processes that run and do
 * not answer. `more` = by service the additional kilobytes (2^10 bytes); `perCall` = those of all services together for one call; `waiting` = how
 * many calls the database knows as waiting.
 */
export async function measureWaiting({ load, servers, services, single }) {
  const { activationKey, processes } = await makeAnsweringProcesses(
    servers.database,
    single,
    WAITING_CALL_COUNT / PERMITS_PER_PROCESS,
  );
  const agents = [];
  for (let made = 0; made < 2; made++)
    agents.push(await BenchAgent.connect(services.router.url, activationKey, { holds: true }));
  const calls = new WaitingConnections(services.gateway.url);
  try {
    const before = memoryOf(services);
    await calls.open(processes, WAITING_CALL_COUNT);
    await untilHeld(agents, WAITING_CALL_COUNT);
    await sleep(SETTLE_MS);
    const waiting = await countWaiting(servers.database);
    const during = memoryOf(services);
    await finish(agents, calls);
    load.add({ ok: WAITING_CALL_COUNT, sent: WAITING_CALL_COUNT, wrong: 0 });
    const more = Object.fromEntries(Object.keys(during).map((name) => [name, during[name] - before[name]]));
    const perCall = Object.values(more).reduce((total, one) => total + one, 0) / WAITING_CALL_COUNT;
    return { calls: WAITING_CALL_COUNT, waiting, more, perCall };
  } finally {
    for (const agent of agents) agent.close();
  }
}

/** Opens and closes waiting webhook calls, each on a connection of its own. */
class WaitingConnections {
  #url;
  #open = new Set();

  constructor(url) {
    this.#url = url;
  }

  /** Opens `count` waiting calls of the processes in turn. */
  async open(processes, count) {
    let left = count;
    const worker = async () => {
      for (let index = --left; index >= 0; index = --left) await this.#call(processes[index % processes.length]);
    };
    await Promise.all(Array.from({ length: CONCURRENT_OPENINGS }, worker));
  }

  /** Closes all connections, so that nobody waits any longer. */
  hangUp() {
    for (const request of this.#open) request.destroy();
    this.#open.clear();
  }

  /** Resolves shortly after the call was sent, without an answer. An answer ends the bench with an error. */
  #call(process) {
    const { path, headers, body } = hookOf(process);
    const keyed = { ...headers, 'Idempotency-Key': randomUUID(), 'Content-Length': Buffer.byteLength(body) };
    const agent = new Agent({ keepAlive: false });
    const request = httpRequest(`${this.#url}${path}`, { method: 'POST', agent, headers: keyed });
    request.on('error', () => {});
    request.on('response', (response) => {
      response.resume();
      throw new Error(`a call that should wait was answered ${response.statusCode}`);
    });
    this.#open.add(request);
    return new Promise((resolve) => {
      request.end(body, () => setTimeout(resolve, 5));
    });
  }
}

/** Hangs up, lets the agents end all instances, and waits for their ends. */
async function finish(agents, calls) {
  calls.hangUp();
  for (const agent of agents) agent.endAll();
  await until(() => agents.every(({ held }) => held.size === 0), 'the held instances ended');
}

function untilHeld(agents, count) {
  return until(() => agents.reduce((total, { held }) => total + held.size, 0) === count, 'every instance runs');
}

async function until(condition, what) {
  const deadline = Date.now() + WAIT_TIME_LIMIT_MS;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not reached in time: ${what}`);
    await sleep(POLL_INTERVAL_MS);
  }
}

/** The number of permits to wait that the gateways have leased at the moment. */
async function countWaiting(database) {
  const sql = 'SELECT SUM(places) AS n FROM waiting_call WHERE lease_until > UTC_TIMESTAMP(3)';
  const [[{ n }]] = await database.query(sql);
  return Number(n);
}

/** The resident memory of each service in kilobytes. */
function memoryOf(services) {
  return Object.fromEntries(
    Object.entries(services).map(([name, { pid }]) => [name, residentMegabytes(pid) * KILOBYTES_PER_MEGABYTE]),
  );
}
