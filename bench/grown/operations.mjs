import { randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { startToRunning } from '../starting.mjs';

const DAY_MS = 86_400_000;

/**
 * Operations of callers, by name: each function performs one operation once in the installation `world`, which is `{ services, company,
 * sessions, values, agent, http, online, startOf }`.
 */
export const OPERATIONS = {
  'start, queued': (world) => start(world, world.company.queued),
  'start to running, claimed and ended': async ({ http, services, agent, online }) => {
    await startToRunning({ http, url: services.gateway.url, start: online, agent });
  },
  'GET processes': read('gateway', () => '/v1/processes'),
  'GET process': read('gateway', ({ pid }) => `/v1/processes/${pid}`),
  'history of a process': read('gateway', ({ pid }) => `/v1/processes/${pid}/executions`),
  'history of a process, one day': read(
    'gateway',
    ({ pid, today }) => `/v1/processes/${pid}/executions?from=${today}&to=${today}`,
  ),
  'one instance': read('gateway', ({ iid }) => `/v1/instances/${iid}`),
  'logs of an instance': read('gateway', ({ iid }) => `/v1/instances/${iid}/logs`),
  'a queued instance': read('gateway', ({ firstQueued }) => `/v1/instances/${firstQueued}`),
  'GET schedules': read('gateway', () => '/v1/schedules'),
  'GET environments': read('gateway', () => '/v1/environments'),
  'console: home': read('console', () => '/home'),
  'console: runs of the company': read('console', () => '/runs'),
  'console: runs of a share': read('console', () => '/runs', 'member'),
  // A page that the failed runs in both databases fill: two of each of three triggers.
  'console: failed runs': read('console', () => '/runs?status=error,terminated&limit=1'),
  'console: active runs': read('console', () => '/runs?status=queued,unknown,running'),
  'console: runs of a trigger': read('console', () => '/runs?trigger=manual'),
  'console: statistics of a day': read('console', ({ dayAgo, now }) => `/statistics?from=${dayAgo}&to=${now}&by=hour`),
  'console: processes': read('console', () => '/processes'),
  'console: instances of a process': read('console', ({ pid }) => `/processes/${pid}/instances`),
  'console: old instances of a process': read(
    'console',
    ({ pid, old }) => `/processes/${pid}/instances?before=${old.instance_id}`,
  ),
  'console: old audit': read('console', ({ pid, old }) => `/processes/${pid}/audit?before=${old.event_id}`),
  'console: old runs': read('console', ({ old }) => `/runs?before=${old.accepted_at.getTime()}.${old.instance_id}`),
  'history of an old day': read(
    'gateway',
    ({ pid, oldDay }) => `/v1/processes/${pid}/executions?from=${oldDay}&to=${oldDay}`,
  ),
  'console: instances of a share': read('console', ({ pid }) => `/processes/${pid}/instances`, 'member'),
  'console: audit': read('console', ({ pid }) => `/processes/${pid}/audit`),
  'console: audit of a share': read('console', ({ pid }) => `/processes/${pid}/audit`, 'member'),
  'console: details of an instance': read('console', ({ iid }) => `/instances/${iid}/details`),
  'console: credits': read('console', () => '/credits'),
  'console: ledger': read('console', () => '/credits/entries'),
  // The period ends now, because a page also reads the entries of a minute after its period, such as those of starts of this bench.
  'console: ledger of a day': read(
    'console',
    ({ dayAgo }) => `/credits/entries?from=${dayAgo}&to=${new Date().toISOString()}`,
  ),
  'console: schedules': read('console', () => '/schedules'),
  'console: environments': read('console', () => '/environments'),
  'console: keys of a process': read('console', ({ pid }) => `/processes/${pid}/keys`),
  'console: add a key': async (world) => {
    const body = JSON.stringify({ identifier: 'Grown' });
    await call(world, { service: 'console', path: `/processes/${world.values.pid}/keys`, method: 'POST', body });
  },
};

/** The ids and dates in the paths of OPERATIONS; days are those of America/Sao_Paulo (UTC-3), as in the gateway's history. */
export function operationValuesOf({ pid, iid, firstQueued, old }) {
  const now = Date.now();
  const text = (time) => new Date(time).toISOString();
  return {
    pid,
    old,
    oldDay: text(old.accepted_at.getTime() - 3 * 3_600_000).slice(0, 10),
    iid,
    firstQueued,
    now: text(now),
    dayAgo: text(now - DAY_MS),
    today: text(now - 3 * 3_600_000).slice(0, 10),
  };
}

/** An operation that reads a path, as the owner or as the member with a share. */
function read(service, path, reader = 'owner') {
  return (world) => call(world, { service, path: path(world.values), reader });
}

async function start(world, { processID, processKey }) {
  const { path, headers, body } = world.startOf({ processID, processKey });
  await send(world, 'gateway', {
    path,
    method: 'POST',
    headers: { ...headers, 'Idempotency-Key': randomUUID() },
    body,
  });
}

function call(world, { service, path, reader = 'owner', method = 'GET', body }) {
  const { company, sessions } = world;
  const headers =
    service === 'gateway'
      ? { Authorization: `Bearer ${company.credential}`, 'X-Process-Key': company.queued.processKey }
      : { Authorization: `Bearer ${sessions[reader]}`, ...(body && { 'Content-Type': 'application/json' }) };
  return send(world, service, { path: service === 'gateway' ? path : `/manage/v1${path}`, method, headers, body });
}

function send({ http, services }, service, { path, method, headers, body }) {
  const { url } = services[service];
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${url}${path}`, { agent: http, method, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const answer = Buffer.concat(chunks).toString();
        if (response.statusCode < 300) resolve(answer);
        else reject(new Error(`${method} ${path} was answered ${response.statusCode}: ${answer.slice(0, 300)}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** An HTTP agent that sends all requests over one connection, which stays open. */
export const createKeptConnection = () => new Agent({ keepAlive: true, maxSockets: 1 });
