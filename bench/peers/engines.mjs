import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/find-servers.cjs';
import { freePort, startChild, startPostgres } from '../../scripts/lib/servers.cjs';
import { startListening } from '../programs.mjs';
import { START_BODY } from '../world.mjs';
import { PEERS_FOLDER, peerServers } from './install.mjs';

const JSON_HEADERS = { 'Content-Type': 'application/json' };
const READY_TIME_LIMIT_MS = 60_000;
const POLL_INTERVAL_MS = 100;
/** Number of partitions. The default of 24 is for larger machines, and is slower on two processors. */
const RESTATE_PARTITIONS = '4';
/** Environment variables of all programs of the peers. */
const environment = { NODE_ENV: 'production', PEERS_FOLDER };
const programFile = (name) => join(ROOT, 'bench', 'peers', 'programs', `${name}.mjs`);

/**
 * Starts Restate: one server, which flushes its log before it answers, and one process with the handler. A `send` through its ingress
 * corresponds to a start, and a call of the handler to an awaited answer.
 */
export async function startRestate(folder) {
  const base = join(folder, 'restate');
  await mkdir(base);
  const [ingress, admin, node] = await Promise.all([freePort(), freePort(), freePort()]);
  const server = await startChild({
    command: peerServers().restate,
    args: ['--no-logo'],
    cwd: base,
    logFile: join(folder, 'restate.log'),
    env: {
      PATH: process.env.PATH,
      HOME: base,
      RESTATE_BASE_DIR: base,
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_ADVERTISED_HOST: '127.0.0.1',
      RESTATE_BIND_PORT: String(node),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_DEFAULT_NUM_PARTITIONS: RESTATE_PARTITIONS,
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LOG_FILTER: 'warn',
    },
  });
  const port = await freePort();
  const handler = await startProgram(folder, 'restate-service', { PORT: String(port) });
  const registration = {
    method: 'POST',
    headers: JSON_HEADERS,
    body: JSON.stringify({ uri: `http://127.0.0.1:${port}` }),
  };
  await untilOk(server, `http://127.0.0.1:${admin}/deployments`, registration);
  const url = `http://127.0.0.1:${ingress}`;
  await untilOk(server, `${url}/restate/health`);
  return {
    name: 'Restate',
    url,
    send: requestOf('/orders/start/send'),
    call: requestOf('/orders/start'),
    programs: { restate: server, handler },
  };
}

/** Starts BullMQ on a Redis that flushes at each command, with a minimal HTTP server as its client, and one worker. */
export async function startBullmq(folder) {
  const port = String(await freePort());
  const data = join(folder, 'redis');
  await mkdir(data);
  const network = ['--bind', '127.0.0.1', '--port', port];
  const storage = ['--dir', data, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
  const redis = await startChild({
    command: peerServers().redis,
    args: [...network, ...storage],
    cwd: data,
    logFile: join(folder, 'redis.log'),
    env: { PATH: process.env.PATH },
  });
  const http = await startServer(folder, 'bullmq-http', { REDIS_PORT: port });
  const worker = await startProgram(folder, 'bullmq-worker', { REDIS_PORT: port });
  return {
    name: 'BullMQ',
    url: http.url,
    send: requestOf('/send'),
    call: requestOf('/call'),
    programs: { redis, http, worker },
  };
}

/** Starts pg-boss on a PostgreSQL that flushes at each commit, with a minimal HTTP server as its client. Its workers poll, so no answers can be awaited. */
export async function startPgBoss(folder) {
  const postgres = await startPostgres({ durable: true });
  const http = await startServer(folder, 'pg-boss-http', { POSTGRES_URL: postgres.url });
  return { name: 'pg-boss', url: http.url, send: requestOf('/send'), programs: { postgres, http } };
}

/** A request with the same bytes as a start of the product; its idempotency key is in a header that means nothing to the peers. */
function requestOf(path) {
  return { path, headers: JSON_HEADERS, body: START_BODY, keyHeader: 'X-Request-Key' };
}

/** Starts a program of `peers/programs` that serves HTTP; resolves when it answers. */
function startServer(folder, name, env) {
  const args = [programFile(name)];
  return startListening({ folder, settings: {} }, { name, args, env: { ...environment, ...env }, readyPath: '/' });
}

/** Starts any other program of `peers/programs`, and does not wait until it is ready. */
function startProgram(folder, name, env) {
  return startChild({
    command: process.execPath,
    args: [programFile(name)],
    cwd: ROOT,
    logFile: join(folder, `${name}.log`),
    env: { PATH: process.env.PATH, ...environment, ...env },
  });
}

/** Repeats a request until it is answered with 2xx. Rejects if the server exits before, or after the time limit. */
async function untilOk(server, url, request) {
  const deadline = Date.now() + READY_TIME_LIMIT_MS;
  for (;;) {
    const answer = await fetch(url, request).catch(() => undefined);
    const text = await answer?.text();
    if (answer?.ok) return;
    if (!server.isAlive() || Date.now() > deadline) throw new Error(`${url} did not become ready: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}
