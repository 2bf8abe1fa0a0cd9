import { cp } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAgent } from '../../bench/programs.mjs';
import { startServers } from '../../bench/servers.mjs';
import { busyShare } from '../../bench/usage.mjs';
import { HostileProgram } from './hostile-program.mjs';
import { Neighbour } from './neighbour.mjs';
import { startLimitedServices, setServerWeights } from './services.mjs';
import { withProcessorUse } from './processors.mjs';
import { findFaults, ratiosOf, untilAllEnded } from './find-faults.mjs';
import { copyEvidence, copyQueued, copySchedules } from './stored-load.mjs';
import { makeTenants } from './tenants.mjs';

const WARM_UP_MS = 5_000;
const QUIET_MEASUREMENT_MS = 20_000;
const SHORT_QUIET_MEASUREMENT_MS = 1_000;
/** A pause in which the database writes the copies of rows to its files, so that the attack is measured without this work. */
const SETTLE_MS = 5_000;
const PAUSE_BETWEEN_TRICKS_MS = 3_000;

/**
 * Starts the servers and services, measures the neighbour without and with the hostile tenant, and stops everything.
 * Returns the measured values.
 */
export async function runAbuseTest({ options, say, signal }) {
  const running = [];
  const stopAll = async () => {
    for (const part of running.splice(0).toReversed()) await part.stop();
  };
  signal.addEventListener('abort', () => void stopAll());
  try {
    say('Starting MariaDB, NATS and the services …');
    const servers = await startServers();
    const removeWeights = setServerWeights(servers);
    running.push({ stop: removeWeights }, servers);
    const services = await startLimitedServices(servers, options);
    running.push(...Object.values(services));
    const world = await makeTenants(servers, services, options);
    running.push(await startAgent(servers, { url: services.router.url, key: world.neighbour.process.activationKey }));
    return await measure({ servers, services, world, options, say, running });
  } finally {
    const [, servers] = running;
    if (options.logs && servers) await cp(servers.folder, options.logs, { recursive: true });
    await stopAll();
  }
}

async function measure({ servers, services, world, options, say, running }) {
  const neighbour = new Neighbour(world.neighbour, options);
  const hostile = await HostileProgram.fork({ yields: !options.short });
  running.push(hostile);
  const { mariadb, nats } = servers;
  const programs = { ...services, mariadb, nats, 'hostile client': hostile, 'this client': process };
  /** The measured values of the neighbour company while the work lasts, and the processor time that each program took. */
  const measureDuring = (work) => withProcessorUse(programs, () => neighbour.measureDuring(work));
  await copyQueued(servers.database, world.hostile, options.only);
  // The hostile client gets only what others leave of the processors: on a busy machine the attack is weaker.
  const busy = options.short ? undefined : await busyShare();
  say('Measuring the neighbour alone …');
  if (!options.short) await measureDuring(sleep(WARM_UP_MS));
  const quiet = await measureDuring(sleep(options.short ? SHORT_QUIET_MEASUREMENT_MS : QUIET_MEASUREMENT_MS));
  say('The hostile tenant stores what its tricks need …');
  const order = { world: world.hostile, seed: options.seed, only: options.only, isShort: options.short };
  const prepared = hostile.prepare(order);
  const preparing = await measureDuring(prepared);
  const { names } = await prepared;
  if (!options.short) {
    await copySchedules(servers.database, world.hostile);
    await copyEvidence(servers.database, world.hostile);
    await sleep(SETTLE_MS);
  }
  const alone = options.each ? await measureEach({ measureDuring, hostile, names, services, options, say }) : undefined;
  say('The hostile tenant attacks …');
  const began = performance.now();
  const attack = hostile.attack({ names, isShort: options.short, seconds: options.seconds });
  const attacked = await measureDuring(attack);
  const seconds = (performance.now() - began) / 1_000;
  neighbour.close();
  const unfinished = await untilAllEnded(servers.database, world.neighbour.process);
  const { tricks } = await attack;
  const memory = Object.values(services).map(
    ({ name, bytesAfterStart: before, peak, limit, enforced, ends, lastEnd }) => ({
      name,
      before,
      peak,
      limit,
      enforced,
      ends,
      lastEnd,
    }),
  );
  const results = { options, seconds, busy, quiet, preparing, alone, attacked, unfinished, tricks, memory };
  return { ...results, ratios: ratiosOf(quiet, attacked), faults: findFaults(results) };
}

/** Measures the neighbour beside each trick alone, which shows the trick that the neighbour notices most. */
async function measureEach({ measureDuring, hostile, names, services, options, say }) {
  const alone = {};
  for (const name of names) {
    say(`The hostile tenant does ${name} alone …`);
    const endsOf = () => Object.values(services).reduce((sum, { ends }) => sum + ends, 0);
    const before = endsOf();
    const measured = await measureDuring(hostile.attack({ names: [name], seconds: options.each }));
    alone[name] = { ...measured, ends: endsOf() - before };
    await sleep(PAUSE_BETWEEN_TRICKS_MS);
  }
  return alone;
}
