import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../scripts/lib/find-servers.cjs';
import { freePort, startChild } from '../scripts/lib/servers.cjs';

const READY_MS = 30_000;
const PORT_TRIES = 3;
const PROFILED = ['gateway', 'execution', 'router', 'webhook'];
/** Connections of a service's pool unless it is told otherwise; the floor gets as many. */
const POOL = '10';

export const SERVICES = ['execution', 'router', 'schedule', 'webhook', 'gateway', 'console'];
/** As in the Dockerfile. */
const IMAGE = { NODE_ENV: 'production', NODE_OPTIONS: '--max-semi-space-size=8' };

/** One replica of each service, from dist, as the image starts it, with the logging that it has anywhere else. */
export async function startServices(ground, { profile }) {
  const services = {};
  for (const name of SERVICES) {
    const args = [join(ROOT, 'dist', 'apps', name, 'src', 'main.js')];
    if (profile && PROFILED.includes(name)) args.unshift('--cpu-prof', `--cpu-prof-dir=${join(profile, name)}`);
    const env = name === 'console' ? { ...IMAGE, GATEWAY_PUBLIC_URL: services.gateway.url } : IMAGE;
    services[name] = await startListening(ground, { name, args, env, readyPath: '/health/ready' });
  }
  return services;
}

/** The floor: two bare programs between the same load and the same database. */
export async function startFloor(ground) {
  const responder = await start(ground, {
    name: 'floor-responder',
    args: [join(ROOT, 'bench', 'floor', 'responder.cjs')],
    env: { DATABASE_POOL: POOL },
  });
  const http = await startListening(ground, {
    name: 'floor-http',
    args: [join(ROOT, 'bench', 'floor', 'http.cjs')],
    readyPath: '/',
  });
  return { http, responder };
}

/** The reference agent, as a customer runs it, with room for everything that the bench sends. */
export function startAgent(ground, { url, key }) {
  const args = [join(ROOT, 'dist', 'apps', 'agent', 'src', 'main.js')];
  const env = {
    BATUTA_ROUTER_URL: url,
    BATUTA_AGENT_KEY: key,
    BATUTA_AGENT_NAME: 'bench-reference',
    BATUTA_AGENT_CAPACITY: '100',
  };
  return start(ground, { name: 'agent', args, env });
}

/** A program that serves HTTP on a free port; resolves once `readyPath` answers with 2xx. */
async function startListening(ground, { name, args, env = {}, readyPath }) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const program = await start(ground, { name, args, env: { ...env, PORT: String(port) } });
    const url = `http://127.0.0.1:${port}`;
    if (await becomesReady(program, `${url}${readyPath}`)) return { ...program, url };
    await program.stop();
    const log = await program.log();
    if (attempt === PORT_TRIES || !log.includes('EADDRINUSE')) {
      throw new Error(`${name} did not become ready:\n${log.slice(-3_000)}`);
    }
  }
}

async function start(ground, { name, args, env }) {
  const logFile = join(ground.folder, `${name}.log`);
  const child = await startChild({
    command: process.execPath,
    args,
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...ground.settings, ...env },
    logFile,
  });
  return { ...child, name, log: () => readFile(logFile, 'utf8') };
}

/** False once the program is gone or the time is up. */
async function becomesReady(program, url) {
  const deadline = Date.now() + READY_MS;
  while (program.isAlive() && Date.now() < deadline) {
    if (await answersWell(url)) return program.isAlive();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

async function answersWell(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(3_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
