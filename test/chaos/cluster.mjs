import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { IMAGE_ENV, SERVICES, startListening } from '../../bench/programs.mjs';
import { ROOT } from '../../scripts/lib/find-servers.cjs';
import galeraLibrary from '../../scripts/lib/galera.cjs';
import servers from '../../scripts/lib/servers.cjs';
import { startNatsCluster } from './nats-cluster.mjs';
import { startProxy } from './proxy.mjs';
import { makeSecrets } from './secrets.mjs';

const [NODES, AGENTS] = [3, 3];
/** How long the proxy may take to notice the first replica of a service. */
const SERVED_TIME_LIMIT_MS = 60_000;
/** Services that callers and agents reach over HTTP. */
const PUBLIC_SERVICES = ['gateway', 'router', 'console'];
const OPERATOR_EMAIL = 'operator@chaos.batuta.local';

/**
 * Starts everything as in production: three nodes of Galera and of NATS, each on a machine of its own, the proxy before them, and the replicas
 * of each service. Agents start later, by `startAgents` of the result. Throws, after it has stopped all, when `signal` aborts.
 */
export async function startCluster({ network, replicas, say, signal }) {
  const parts = [];
  const stop = async () => {
    for (const part of parts.splice(0).toReversed()) await part.stop();
  };
  const add = (part) => {
    parts.push(part);
    signal.throwIfAborted();
    return part;
  };
  try {
    return { ...(await startParts({ network, count: replicas, say, add })), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts({ network, count, say, add }) {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-chaos-'));
  add({ stop: () => rm(folder, { recursive: true, force: true }) });
  const machines = { galera: await addMachines(network, NODES), nats: await addMachines(network, NODES) };
  const hosts = new Set([network, ...machines.galera, ...machines.nats].map(({ host }) => host));
  const secrets = await makeSecrets([...hosts]);
  add({ stop: secrets.remove });
  say('Starting three nodes of MariaDB with Galera and three of NATS …');
  const galera = add(
    await galeraLibrary.startGalera({
      certificate: secrets.certificate,
      machines: machines.galera,
      client: network.host,
    }),
  );
  const nats = add(await startNatsCluster(secrets, machines.nats));
  const replicas = [];
  for (const service of SERVICES) {
    for (let number = 1; number <= count; number += 1) {
      replicas.push({ service, name: `${service}-${number}`, port: await servers.freePort() });
    }
  }
  const proxy = add(
    await startProxy({
      host: network.host,
      galera: await endpointsOf(galera.nodes),
      services: Object.fromEntries(
        PUBLIC_SERVICES.map((name) => [name, replicas.filter(({ service }) => service === name)]),
      ),
    }),
  );
  const url = (name) => `http://${network.host}:${proxy.ports[name]}`;
  const settings = settingsOf({
    galera,
    secrets,
    database: `${network.host}:${proxy.ports.database}`,
    nats: await endpointsOf(nats.nodes),
    gateway: url('gateway'),
  });
  say('Creating the schema and the users of the services …');
  await migrate(settings, galera, secrets);
  say(`Starting each service ${count} times …`);
  const programs = { folder, settings };
  const services = replicas.map((place) => new Replica(programs, place, secrets.passwords));
  add({ stop: () => Promise.all(services.map((replica) => replica.end())) });
  for (const replica of services) await replica.start();
  await Promise.all(PUBLIC_SERVICES.map((name) => untilServed(url(name))));
  const startAgents = async (activationKey) => {
    const agents = [];
    for (const [index, machine] of (await addMachines(network, AGENTS)).entries()) {
      const { host, port } = await machine.endpointFor(network.host, proxy.ports.router);
      const router = `http://${host}:${port}`;
      agents.push(new AgentProcess({ folder, name: `agent-${index + 1}`, machine, router, activationKey }));
    }
    add({ stop: () => Promise.all(agents.map((agent) => agent.end())) });
    for (const agent of agents) await agent.start();
    return agents;
  };
  return {
    folder,
    galera,
    nats,
    proxy,
    services,
    startAgents,
    gateway: url('gateway'),
    console: url('console'),
    operator: { email: OPERATOR_EMAIL, password: secrets.passwords.OPERATOR_PASSWORD },
    databaseUrl: `mysql://${galera.user}:${galera.password}@${network.host}:${proxy.ports.database}/${galera.database}`,
  };
}

async function addMachines(network, count) {
  const machines = [];
  while (machines.length < count) machines.push(await network.addMachine());
  return machines;
}

/** For each node its name, and the host and port through which clients reach it. */
function endpointsOf(nodes) {
  return Promise.all(
    nodes.map(async ({ name, machine, port }) => ({ name, ...(await machine.endpointFor(machine.host, port)) })),
  );
}

/** Resolves when the proxy has noticed a replica of the service and forwards calls; before that it resets their connections. */
async function untilServed(url) {
  const deadline = performance.now() + SERVED_TIME_LIMIT_MS;
  for (;;) {
    try {
      return await fetch(url, { signal: AbortSignal.timeout(SERVED_TIME_LIMIT_MS) });
    } catch (error) {
      if (performance.now() > deadline) throw new Error(`The proxy does not serve ${url}`, { cause: error });
      await sleep(100);
    }
  }
}

function settingsOf({ galera, secrets, database, nats, gateway }) {
  const tls = encodeURIComponent(JSON.stringify({ verifyIdentity: true }));
  return {
    HOST: '127.0.0.1',
    DATABASE_URL: `mysql://${galera.user}@${database}/${galera.database}?ssl=${tls}`,
    NATS_HOSTS: nats.map(({ host, port }) => `${host}:${port}`).join(),
    NODE_EXTRA_CA_CERTS: secrets.authority,
    SECRET_KEYS: secrets.passwords.SECRET_KEYS,
    GATEWAY_PUBLIC_URL: gateway,
    OPERATOR_EMAIL,
    OPERATOR_PASSWORD: secrets.passwords.OPERATOR_PASSWORD,
  };
}

/** Migrates as the Job of Kubernetes does, and creates the database users of the services. */
async function migrate(settings, galera, { passwords }) {
  const own = Object.entries(passwords).filter(([name]) => /^DATABASE_\w+_PASSWORD$/.test(name));
  const env = { PATH: process.env.PATH, ...settings, ...Object.fromEntries(own), DATABASE_PASSWORD: galera.password };
  await promisify(execFile)(process.execPath, [join(ROOT, 'dist', 'libs', 'database', 'migrate.js')], { env });
}

/** A replica of a service that keeps its port when it is started again. */
class Replica {
  #programs;
  #program;
  #env;

  constructor(programs, { service, name, port }, passwords) {
    Object.assign(this, { service, name, port });
    const upper = service.toUpperCase();
    this.#programs = programs;
    this.#env = {
      ...IMAGE_ENV,
      DATABASE_USER: `batuta_${service}`,
      DATABASE_PASSWORD: passwords[`DATABASE_${upper}_PASSWORD`],
      NATS_URL: `tls://${service}@${programs.settings.NATS_HOSTS}`,
      NATS_PASSWORD: passwords[`NATS_${upper}_PASSWORD`],
    };
  }

  /** Starts the replica and waits until it is ready. */
  async start() {
    this.#program = await startListening(this.#programs, {
      name: this.name,
      args: [join(ROOT, 'dist', 'apps', this.service, 'main.js')],
      env: this.#env,
      port: this.port,
      readyPath: '/health/ready',
    });
  }

  async kill() {
    this.#program.signal('SIGKILL');
    await this.#program.exited;
  }

  async end() {
    await this.#program?.stop();
  }
}

/** A reference agent, whose executions share its OS process. */
class AgentProcess {
  #settings;
  #child;

  constructor({ name, machine, ...settings }) {
    Object.assign(this, { name, machine });
    this.#settings = settings;
  }

  async start() {
    const { folder, router, activationKey } = this.#settings;
    const args = [join(ROOT, 'dist', 'apps', 'agent', 'main.js')];
    this.#child = await servers.startChild({
      ...this.machine.enter({ command: process.execPath, args }),
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        BATUTA_ROUTER_URL: router,
        BATUTA_AGENT_KEY: activationKey,
        BATUTA_AGENT_NAME: this.name,
        BATUTA_AGENT_CAPACITY: '100',
        BATUTA_AGENT_STATE_FOLDER: 'none',
        BATUTA_AGENT_ISOLATION: 'none',
      },
      logFile: join(folder, `${this.name}.log`),
    });
  }

  async kill() {
    this.#child.signal('SIGKILL');
    await this.#child.stop();
  }

  async end() {
    await this.#child?.stop();
  }
}
