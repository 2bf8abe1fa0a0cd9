import { untilConnected, untilDone } from '../answering.mjs';
import { BenchAgent } from '../bench-agent.mjs';
import { createGenerator } from '../load/generators.mjs';
import { withRunningPrograms } from '../running-programs.mjs';
import { startAgent, startFloor, startServices } from '../programs.mjs';
import { floorRequests, hookOf, startOf } from '../requests.mjs';
import { startServers } from '../servers.mjs';
import { CONNECTION_COUNTS, measureThroughput } from '../throughput.mjs';
import { busyShare, untilIdle } from '../usage.mjs';
import { makeAnsweringProcesses, makeCompany } from '../world.mjs';
import { startBullmq, startPgBoss, startRestate } from './engines.mjs';
import { ensurePeers } from './install.mjs';

/** Time limit for the processors to become idle after the load of a peer. */
const IDLE_SECONDS = 30;
/** The kinds of calls that are compared: a start that is only accepted, one that is also run, and a call that waits for its answer. */
const ACCEPTED_KIND = 'accepted';
export const RUN_KIND = 'accepted and run';
const ANSWERED_KIND = 'answer awaited';
export const PRODUCT = 'Batuta';
const FLOOR = 'floor';

/**
 * Compares durable starts and awaited answers of the product with those of Restate, BullMQ and pg-boss, and with the calls of the floor, in turns
 * on this machine. Returns cells `{ kind, engine, connections, perSecond, p50, p99, wrong, cpu }`; times are in milliseconds, `cpu` has the
 * processor time of each program in microseconds per call.
 */
export async function runPeers({ options, say, signal }) {
  await ensurePeers({ say });
  const busy = await busyShare();
  return withRunningPrograms(signal, async (running) => {
    say('Starting MariaDB, NATS and the services, Restate, Redis and PostgreSQL …');
    const servers = await startServers();
    running.push(servers);
    const load = createGenerator(options.generator, servers.folder);
    running.push(load);
    const common = load.pid ? { load } : {};
    const product = await startProduct(servers, running, common);
    const peers = [];
    for (const start of [startRestate, startBullmq, startPgBoss]) {
      const peer = await start(servers.folder);
      running.push(...Object.values(peer.programs));
      peers.push({ ...peer, programs: { ...peer.programs, ...common } });
    }
    say('Measuring …');
    const cells = await measureThroughput({ load, targets: [...product, ...peers.flatMap(targetsOf)], options, say });
    return { busy, cells: cells.map(({ target: { kind, engine }, ...cell }) => ({ kind, engine, ...cell })) };
  });
}

/** Starts the product, and the floor on the same servers, and adds them to `running`; returns the targets of both. */
async function startProduct(servers, running, common) {
  const floor = await startFloor(servers);
  running.push(...Object.values(floor));
  const services = await startServices(servers, {});
  running.push(...Object.values(services));
  const company = await makeCompany(servers.database);
  const { activationKey, processes } = await makeAnsweringProcesses(servers.database, company, 1);
  const reference = await startAgent(servers, { url: services.router.url, key: activationKey });
  running.push(reference);
  await untilConnected(servers.database, 'bench-reference');
  const agent = await BenchAgent.connect(services.router.url, company.online.activationKey);
  running.push({ stop: () => agent.close() });
  const { mariadb, nats } = servers;
  const programs = { ...services, agent: reference, mariadb, nats, ...common };
  const target = (kind, request, settle) =>
    targetOf(PRODUCT, { kind, url: services.gateway.url, request, settle, programs });
  const start = startOf(company, company.queued);
  const [floorRequest] = floorRequests([start]);
  return [
    targetOf(FLOOR, {
      kind: ACCEPTED_KIND,
      url: floor.http.url,
      request: floorRequest,
      programs: { ...floor, mariadb, nats, ...common },
    }),
    target(ACCEPTED_KIND, start),
    target(RUN_KIND, startOf(company, company.online), () => untilDone(servers.database, company.online)),
    target(ANSWERED_KIND, hookOf(processes[0])),
  ];
}

/** The targets of a peer: its accepted starts and, where it has `call`, its awaited answers. */
function targetsOf({ name, url, send, call, programs }) {
  // Restate also runs the starts that it accepts, so their handlers must have ended before the next engine is measured.
  const settle = () => untilIdle(IDLE_SECONDS);
  const accepted = targetOf(name, { kind: ACCEPTED_KIND, url, request: send, settle, programs });
  if (call === undefined) return [accepted];
  return [accepted, targetOf(name, { kind: ANSWERED_KIND, url, request: call, programs })];
}

function targetOf(engine, { kind, url, request, settle, programs }) {
  const pids = Object.fromEntries(Object.entries(programs).map(([name, { pid }]) => [name, pid]));
  return { name: { kind, engine }, url, requests: [request], pids, settle };
}

/** The bars of docs/bench.md against other engines, each with the measured value and whether this run reached it. */
export function compareWithPeers(cells) {
  const perSecond = (kind, engine, connections) =>
    cells.find((cell) => cell.kind === kind && cell.engine === engine && cell.connections === connections).perSecond;
  const against = (kind, engine, connections, atLeast) => ({
    bar: `${kind} at ${connections} connections ≥ ${atLeast} × ${engine}`,
    ratio: perSecond(kind, PRODUCT, connections) / perSecond(kind, engine, connections),
    atLeast,
  });
  return [
    against(ACCEPTED_KIND, 'Restate', 50, 1),
    against(ACCEPTED_KIND, 'BullMQ', 50, 1),
    against(ACCEPTED_KIND, 'pg-boss', 50, 2),
    against(ACCEPTED_KIND, 'Restate', 1, 0.7),
    ...CONNECTION_COUNTS.map((connections) => against(ANSWERED_KIND, 'Restate', connections, 1)),
    {
      bar: `${RUN_KIND} at 50 connections ≥ 0.75 × ${ACCEPTED_KIND}`,
      ratio: perSecond(RUN_KIND, PRODUCT, 50) / perSecond(ACCEPTED_KIND, PRODUCT, 50),
      atLeast: 0.75,
    },
  ].map(({ bar, ratio, atLeast }) => ({ bar, measured: ratio.toFixed(2), reached: ratio >= atLeast }));
}
