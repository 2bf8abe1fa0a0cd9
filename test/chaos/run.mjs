import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPool } from 'mysql2/promise';
import { HttpClient } from '../abuse/http-client.mjs';
import { Callers } from './callers.mjs';
import { startCluster } from './cluster.mjs';
import { EffectRecorder } from './effects.mjs';
import { allFaults } from './faults.mjs';
import { watchPhase } from './phase.mjs';
import { MAX_RECOVERY_MS, checkInvariants, secondsText } from './invariants.mjs';
import { makeWorld } from './world.mjs';

/** Minimum time of the load before the first fault. */
const WARM_UP_MS = 3_000;

/**
 * Starts everything, does the faults that `options.only` names, or all, under load, checks the promises and stops everything. Returns the
 * measured values.
 */
export async function runChaos({ options, network, say, signal }) {
  const running = [network];
  const stopAll = async () => {
    for (const part of running.splice(0).toReversed()) await part.stop();
  };
  signal.addEventListener('abort', () => void stopAll());
  try {
    const began = performance.now();
    const effects = await EffectRecorder.start(network.host);
    running.push(effects);
    const cluster = await startCluster({ network, replicas: options.replicas, say, signal });
    running.push(cluster);
    if (options.logs) running.push({ stop: () => keepLogs(cluster, options.logs) });
    const http = new HttpClient({ from: network.host, sockets: options.callers * 2 });
    running.push({ stop: () => http.close() });
    const world = await makeWorld({ http, cluster, effects });
    const agents = await cluster.startAgents(world.activationKey);
    const callers = new Callers(http, cluster, world);
    callers.begin(options);
    running.push({ stop: () => callers.abandon() });
    say(`Everything runs after ${secondsText(performance.now() - began)}; ${options.callers} callers begin.`);
    await watchPhase({ callers, effects }).untilCalm(WARM_UP_MS);
    const chosen = allFaults({ ...cluster, agents }).filter(({ name }) => isChosen(name, options));
    const phases = [];
    for (const fault of chosen) {
      signal.throwIfAborted();
      phases.push(await inject(fault, { callers, effects, galera: cluster.galera, options, say }));
    }
    say('The callers end; every instance is awaited …');
    await callers.stop();
    const database = createPool({ uri: cluster.databaseUrl, connectionLimit: 2, timezone: 'Z' });
    const checked = await checkInvariants({ options, database, world, callers, effects, phases });
    await database.end();
    return { options, phases, tookMs: performance.now() - began, ...checked };
  } finally {
    await stopAll();
  }
}

async function keepLogs({ folder, galera, proxy }, target) {
  await cp(folder, target, { recursive: true });
  await writeFile(join(target, 'haproxy.log'), await proxy.log());
  for (const { name, logFile } of galera.nodes) await cp(logFile, join(target, `${name}.log`));
}

function isChosen(name, { only }) {
  return only === undefined || only.some((text) => name.includes(text));
}

async function inject(fault, { callers, effects, galera, options, say }) {
  const during = watchPhase({ callers, effects, runs: !fault.stopsRuns });
  await fault.begin();
  let repairing = fault.atOnce ? fault.end() : undefined;
  // `repairing` is awaited below; until then its rejection must not end the process.
  repairing?.catch(() => {});
  await during.untilCalm(fault.atLeastMs);
  const measured = during.measurements();
  if (measured.recoveryMs > MAX_RECOVERY_MS) say(await viewsOf(galera));
  if (options.short) return { name: fault.name, fault: measured };
  const sinceRepairBegan = watchPhase({ callers, effects });
  repairing ??= fault.end();
  await repairing;
  const sinceRepairEnded = watchPhase({ callers, effects });
  await sinceRepairEnded.untilCalm(options.seconds * 1_000);
  // The recovery after the repair counts from the moment at which every part works again.
  const repaired = { ...sinceRepairBegan.measurements(), recoveryMs: sinceRepairEnded.measurements().recoveryMs };
  say(
    `${fault.name}: recovered after ${secondsText(measured.recoveryMs)}, repaired after ${secondsText(repaired.recoveryMs)}`,
  );
  return { name: fault.name, fault: measured, repaired };
}

/** The state of the cluster as each node of the database sees it, to explain a late recovery. */
async function viewsOf({ nodes }) {
  const views = nodes.map(async (node) => {
    const { component, state, size } = (await node.view()) ?? {};
    return `${node.name}: ${state ? `${component}, ${state}, sees ${size} of ${nodes.length}` : 'no answer'}`;
  });
  return (await Promise.all(views)).join(' · ');
}
