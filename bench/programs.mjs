import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../scripts/lib/find-servers.cjs';
import { freePort, startChild } from '../scripts/lib/servers.cjs';

/** Time limit until a program is ready; far longer than a start takes, because tests run several stacks at a time. */
const READY_TIME_LIMIT_MS = 120_000;
const PORT_TRIES = 3;
/** Time between two looks at a program that starts: short beside its start, which `--start-up` measures. */
const POLL_INTERVAL_MS = 10;
const PROFILED_SERVICES = ['gateway', 'execution', 'router', 'webhook'];
/** The pool size of the floor, equal to the default of a service. */
const DATABASE_POOL_SIZE = '10';

export const SERVICES = ['execution', 'router', 'schedule', 'webhook', 'gateway', 'console'];
/** The environment variables that the Dockerfile sets for all services. */
export const IMAGE_ENV = {
  NODE_ENV: 'production',
  NODE_OPTIONS: '--max-semi-space-size=8 --v8-pool-size=1',
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_TOP_PAD_: '65536',
};
/** Those of the console, for which k8s/base/console.yaml sets a smaller young generation. */
export const CONSOLE_ENV = { ...IMAGE_ENV, NODE_OPTIONS: '--max-semi-space-size=2 --v8-pool-size=1' };

/** A fast machine starts more than the 100,000 instances that an environment may queue by default. */
const QUEUED_PER_ENVIRONMENT = '100000000';

/**
 * Starts one replica of each service from dist, as in the image and with the usual logging; resolves when all are ready. `profile` = the folder
 * for CPU profiles of PROFILED_SERVICES.
 */
export async function startServices(servers, { profile, env: additional = {} }) {
  const services = {};
  for (const name of SERVICES) {
    const env = name === 'console' ? { GATEWAY_PUBLIC_URL: services.gateway.url, ...additional } : additional;
    services[name] = await startService(servers, name, { profile, env });
  }
  return services;
}

/** Starts one replica of one service; resolves when it is ready. */
export function startService(servers, name, { profile, env: additional = {} } = {}) {
  const args = [join(ROOT, 'dist', 'apps', name, 'main.js')];
  if (profile && PROFILED_SERVICES.includes(name)) args.unshift('--cpu-prof', `--cpu-prof-dir=${join(profile, name)}`);
  const env = { ...(name === 'console' ? CONSOLE_ENV : IMAGE_ENV), QUEUED_PER_ENVIRONMENT, ...additional };
  return startListening(servers, { name, args, env, readyPath: '/health/ready' });
}

/** Starts all services in one process, as in the image; resolves when all are ready. `urls` = their base URLs by name. */
export async function startAllInOne(servers) {
  const name = 'all-in-one';
  const ports = {};
  for (const service of SERVICES) ports[service] = await freePort();
  const program = await start(servers, {
    name,
    args: [join(ROOT, 'dist', 'apps', name, 'main.js')],
    env: {
      ...IMAGE_ENV,
      ...Object.fromEntries(SERVICES.map((service) => [`${service.toUpperCase()}_PORT`, String(ports[service])])),
    },
  });
  const urls = Object.fromEntries(SERVICES.map((service) => [service, `http://127.0.0.1:${ports[service]}`]));
  const ready = await Promise.all(Object.values(urls).map((url) => becomesReady(program, `${url}/health/ready`)));
  if (!ready.every(Boolean)) {
    await program.stop();
    throw new Error(`${name} did not become ready:\n${(await program.log()).slice(-3_000)}`);
  }
  return { ...program, urls };
}

/** Starts the floor, the lower bound for any service: a minimal HTTP server and a minimal responder on the same database, under the same load. */
export async function startFloor(servers) {
  const responder = await start(servers, {
    name: 'floor-responder',
    args: [join(ROOT, 'bench', 'floor', 'responder.cjs')],
    env: { DATABASE_POOL: DATABASE_POOL_SIZE },
  });
  const http = await startListening(servers, {
    name: 'floor-http',
    args: [join(ROOT, 'bench', 'floor', 'http.cjs')],
    readyPath: '/',
  });
  return { http, responder };
}

/**
 * Starts the reference agent with capacity for 100 instances at a time, more than the load has connections. It runs them in its own process: if
 * each of thousands of short executions had a process of its own, the bench would measure how Node starts.
 */
export function startAgent(servers, { url, key }) {
  const args = [join(ROOT, 'dist', 'apps', 'agent', 'main.js')];
  const env = {
    BATUTA_ROUTER_URL: url,
    BATUTA_AGENT_KEY: key,
    BATUTA_AGENT_NAME: 'bench-reference',
    BATUTA_AGENT_CAPACITY: '100',
    BATUTA_AGENT_STATE_FOLDER: 'none',
    BATUTA_AGENT_ISOLATION: 'none',
  };
  return start(servers, { name: 'agent', args, env });
}

/**
 * Starts a program that serves HTTP, on `port` or a free one; resolves once `readyPath` answers with 2xx. `wrap` changes the command, for
 * example to run the program within limits.
 */
export async function startListening(servers, { name, args, env = {}, readyPath, port: wanted, wrap }) {
  for (let attempt = 1; ; attempt++) {
    const port = wanted ?? (await freePort());
    const program = await start(servers, { name, args, env: { ...env, PORT: String(port) }, wrap });
    const url = `http://127.0.0.1:${port}`;
    if (await becomesReady(program, `${url}${readyPath}`)) return { ...program, url };
    await program.stop();
    const log = await program.log();
    if (attempt === PORT_TRIES || !log.includes('EADDRINUSE')) {
      throw new Error(`${name} did not become ready:\n${log.slice(-3_000)}`);
    }
  }
}

async function start(servers, { name, args, env, wrap = (command) => command }) {
  const logFile = join(servers.folder, `${name}.log`);
  const child = await startChild({
    ...wrap({ command: process.execPath, args }),
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...servers.settings, ...env },
    logFile,
  });
  return { ...child, name, log: () => readFile(logFile, 'utf8') };
}

/** Resolves to true once the program answers at `url` with 2xx, to false if it exits before or the time limit ends. */
async function becomesReady(program, url) {
  const deadline = Date.now() + READY_TIME_LIMIT_MS;
  while (program.isAlive() && Date.now() < deadline) {
    if (await isAnsweredWith2xx(url)) return program.isAlive();
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  return false;
}

async function isAnsweredWith2xx(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(3_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
