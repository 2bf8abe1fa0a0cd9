import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServers } from '../../bench/servers.mjs';
import { startServices } from '../../bench/programs.mjs';
import { ROOT } from '../../scripts/lib/find-servers.cjs';
import serversLibrary from '../../scripts/lib/servers.cjs';
import { HttpClient } from '../abuse/http-client.mjs';
import { Callers } from '../chaos/callers.mjs';
import { EffectRecorder } from '../chaos/effects.mjs';
import { makeWorld } from '../chaos/world.mjs';
import { Recording, SCRAPE_SECONDS } from './recording.mjs';

const FOLDER = join(ROOT, 'test', 'fixtures', 'recorded-faults');
const AGENT_COUNT = 2;
/** About two starts a second: by these callers, and by the five callers of the webhook (callers.mjs), which have the same pause. */
const LOAD = { callers: 3, pause: 4_000 };
const SCRAPES_PER_MINUTE = 60 / SCRAPE_SECONDS;

/** Starts an installation of its own for each fault, one after another, then records all faults at the same time. */
export async function recordFaults({ faults, say, signal }) {
  const running = [];
  try {
    for (const fault of faults) {
      say(`${fault.name}: starting …`);
      running.push({ fault, installation: await startInstallation(fault, signal) });
    }
    const recordOne = async ({ fault, installation }) => {
      await record({ fault, installation, say, signal });
      await installation.stop();
    };
    await Promise.all(running.map(recordOne));
  } finally {
    for (const { installation } of running) await installation.stop();
  }
}

async function record({ fault, installation, say, signal }) {
  const { name, before, after, begin } = fault;
  const recording = await Recording.begin(installation.services);
  const beginsAt = before * SCRAPES_PER_MINUTE;
  const startedAt = performance.now();
  for (let number = 0; number < beginsAt + after * SCRAPES_PER_MINUTE; number += 1) {
    if (number === beginsAt) await begin(installation);
    await recording.scrape();
    await sleep(Math.max(0, startedAt + (number + 1) * SCRAPE_SECONDS * 1_000 - performance.now()), undefined, {
      signal,
    });
  }
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, `${name}.txt`), `${headerOf(fault)}${recording.text()}`);
  say(`${name}: recorded`);
}

function headerOf({ name, before, after }) {
  return `# Recorded by \`node scripts/record-faults.mjs --only ${name}\` on ${new Date().toISOString().slice(0, 10)}; not written by hand.
# ${before} minutes without the fault, ${after} minutes with it, a scrape each ${SCRAPE_SECONDS} seconds.
`;
}

async function startInstallation({ agentCapacity = 100, effectMs = 0 }, signal) {
  const parts = [];
  const add = (part) => {
    parts.push(part);
    signal.throwIfAborted();
    return part;
  };
  const stop = async () => {
    for (const part of parts.splice(0).toReversed()) await part.stop();
  };
  try {
    const effects = add(await EffectRecorder.start());
    effects.delayMs = effectMs;
    const servers = add(await startServers());
    const services = await startServices(servers, {});
    for (const service of Object.values(services)) add(service);
    const http = new HttpClient({ from: '127.0.0.1' });
    add({ stop: () => http.close() });
    const cluster = {
      gateway: services.gateway.url,
      console: services.console.url,
      operator: { email: servers.settings.OPERATOR_EMAIL, password: servers.settings.OPERATOR_PASSWORD },
    };
    const world = await makeWorld({ http, cluster, effects });
    const agents = [];
    while (agents.length < AGENT_COUNT) {
      const name = `agent-${agents.length + 1}`;
      agents.push(add(await startAgent({ servers, services, world, name, capacity: agentCapacity })));
    }
    const callers = new Callers(http, cluster, world);
    callers.begin(LOAD);
    add({ stop: () => callers.abandon() });
    return { servers, services, effects, agents, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startAgent({ servers, services, world, name, capacity }) {
  return serversLibrary.startChild({
    command: process.execPath,
    args: [join(ROOT, 'dist', 'apps', 'agent', 'main.js')],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      BATUTA_ROUTER_URL: services.router.url,
      BATUTA_AGENT_KEY: world.activationKey,
      BATUTA_AGENT_NAME: name,
      BATUTA_AGENT_CAPACITY: String(capacity),
      BATUTA_AGENT_STATE_FOLDER: 'none',
      BATUTA_AGENT_ISOLATION: 'none',
    },
    logFile: join(servers.folder, `${name}.log`),
  });
}
