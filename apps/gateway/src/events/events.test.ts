import { notifications, type InstanceBody, type InstanceNews } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { PeriodicTasks } from '@batuta/service';
import { Rpc } from '@batuta/messaging';
import { connect } from 'node:net';
import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../../test/support/wait-until';
import { createGateway, type RunningGateway } from '../app';
import { executionReplies, receivedRequests } from '../../test/fake-execution';
import { callGateway, createTenant, startWorld, type TestTenant, type GatewayWorld } from '../../test/world';

let world: GatewayWorld;
let tenant: TestTenant;
let second: RunningGateway;
let rpc: Rpc;
let every: jest.SpyInstance;

/** Makes the periodic checks of credentials run every 20 ms, so that no test waits for seconds. */
function checkCredentialsOften(): jest.SpyInstance {
  const original = Reflect.get(PeriodicTasks.prototype, 'every');
  return jest.spyOn(PeriodicTasks.prototype, 'every').mockImplementation(function often(
    this: PeriodicTasks,
    name,
    ms,
    ...rest
  ) {
    return Reflect.apply(original, this, [name, name === 'credentials of event streams' ? 20 : ms, ...rest]);
  });
}

beforeAll(async () => {
  every = checkCredentialsOften();
  world = await startWorld();
  tenant = await createTenant(world.registry);
  second = await createGateway(world.config);
  rpc = await Rpc.connect(world.config.NATS_URL, 'test');
});
afterAll(async () => {
  every?.mockRestore();
  await rpc?.close();
  await second?.close();
  await world?.close();
});
beforeEach(() => {
  receivedRequests.length = 0;
});

const instanceID = uuid();
const instanceFields = { instanceID, processID: 'p', processName: 'P' };
const RUNNING_INSTANCE: InstanceBody = { ...instanceFields, status: 'running', userName: 'u', startedAt: 1 };
const ENDED_INSTANCE: InstanceBody = {
  ...instanceFields,
  status: 'success',
  startedAt: 'a',
  finishedAt: 'b',
  durationSeconds: 1,
  errorStep: null,
  errorMessage: null,
  savingsValue: 0,
  fteHours: 0,
  version: '1',
};
const logEntry = {
  timestamp: 't',
  severity: 'INFO' as const,
  message: 'é',
  stepID: 's',
  userName: 'u',
  version: '1',
  evidence: null,
};

/** The instance of the fake execution service. */
const fakeInstance: { body: InstanceBody; lines: number } = { body: RUNNING_INSTANCE, lines: 0 };
beforeEach(() => {
  Object.assign(fakeInstance, { body: RUNNING_INSTANCE, lines: 0 });
  executionReplies.news = async ({ after }): Promise<InstanceNews> => ({
    body: fakeInstance.body,
    lines: Array.from({ length: fakeInstance.lines - after }, (_, n) => ({ line: after + n + 1, ...logEntry })),
  });
});

function openStream(url: string, headers: Record<string, string> = {}, { credential } = tenant): Promise<Response> {
  const authorization = `Bearer ${credential.value}`;
  return fetch(`${url}/v1/instances/${instanceID}/events`, { headers: { authorization, ...headers } });
}

/** Sends HEAD for the stream; resolves when the server has closed the connection. */
async function requestHead(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `HEAD /v1/instances/${instanceID}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.credential.value}\r\n\r\n`,
  );
  let answer = '';
  for await (const piece of socket) answer += String(piece);
  return answer;
}

/** Collects the text of a stream; `end` resolves when the stream ends. */
function readStream({ body }: Response): { text: string; end: Promise<void> } {
  const read = { text: '', end: Promise.resolve() };
  const readAll = async () => {
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) read.text += piece;
  };
  read.end = readAll();
  return read;
}

test('a stream asks for the position of a queued instance once, and then says the position that it knows', async () => {
  fakeInstance.body = { ...RUNNING_INSTANCE, status: 'queued', queue: { position: 3, reason: 'AGENT_BUSY' } };
  const reader = readStream(await openStream(world.gateway.url));
  await waitUntil('the stream has polled', () => reader.text.includes('event: status'));
  Object.assign(fakeInstance, { body: ENDED_INSTANCE });
  rpc.notify(notifications.instancesChanged, { instanceIDs: [instanceID] });
  await reader.end;
  const [first, ...further] = receivedRequests.map(({ request }) => Object(request).knownPosition);
  expect([first, new Set(further)]).toEqual([undefined, new Set([3])]);
});

test('any replica streams an instance until its end', async () => {
  const streams = await Promise.all([openStream(world.gateway.url), openStream(second.url)]);
  const readers = streams.map(readStream);
  await waitUntil('both streams have the status', () => readers.every(({ text }) => text.includes('event: status')));
  Object.assign(fakeInstance, { body: ENDED_INSTANCE, lines: 1 });
  rpc.notify(notifications.instancesChanged, { instanceIDs: [uuid(), instanceID] });
  await Promise.all(readers.map(({ end }) => end));
  for (const { text } of readers) {
    const events = text.split('\n\n').filter((block) => block.startsWith('event:'));
    expect(events).toEqual([
      `event: status\nid: 0\ndata: ${JSON.stringify(RUNNING_INSTANCE)}`,
      `event: log\nid: 1\ndata: ${JSON.stringify(logEntry)}`,
      `event: status\nid: 1.end\ndata: ${JSON.stringify(ENDED_INSTANCE)}`,
    ]);
  }
  expect(streams[0]?.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
});

test('HEAD of a stream answers its headers and ends, also while the instance runs', async () => {
  const answer = await requestHead(world.gateway.url);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).toMatch(/\r\nContent-Type: text\/event-stream; charset=utf-8\r\n/);
  expect(answer).toMatch(/\r\n\r\n$/);
});

test('a client that reconnects gets the events that it misses, or 204 when it already has the last one', async () => {
  Object.assign(fakeInstance, { body: ENDED_INSTANCE, lines: 3 });
  const text = await (await openStream(second.url, { 'Last-Event-ID': '2' })).text();
  expect([...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id)).toEqual(['3', '3.end']);
  expect((await openStream(second.url, { 'Last-Event-ID': '3.end' })).status).toBe(204);
});

test('a refused stream responds with the error envelope', async () => {
  const path = `/v1/instances/${instanceID}/events`;
  expect((await callGateway(world.gateway.url, 'get', path)).body.error.code).toBe('MISSING_CREDENTIAL');
  const credential = tenant.credential.value;
  executionReplies.news = async () => {
    throw new ApiError('INSTANCE_NOT_FOUND');
  };
  for (const id of [instanceID, 'x']) {
    const response = await callGateway(world.gateway.url, 'get', `/v1/instances/${id}/events`, { credential });
    expect([response.status, response.body.error.code]).toEqual([404, 'INSTANCE_NOT_FOUND']);
  }
});

test.each<[string, (of: TestTenant) => [sql: string, id: string | null], string]>([
  [
    'its credential is revoked',
    ({ credential }) => [
      'UPDATE credential SET revoked_at = UTC_TIMESTAMP(3) WHERE credential_id = ?',
      credential.credentialID,
    ],
    'CREDENTIAL_REVOKED',
  ],
  [
    'its credential expires',
    ({ credential }) => [
      'UPDATE credential SET expires_at = UTC_TIMESTAMP(3) WHERE credential_id = ?',
      credential.credentialID,
    ],
    'CREDENTIAL_EXPIRED',
  ],
  [
    'its account is blocked',
    ({ account }) => ['UPDATE account SET blocked = 1 WHERE account_id = ?', account.accountID],
    'OWNER_INACTIVE',
  ],
  [
    'its company is suspended',
    ({ account }) => ['UPDATE company SET suspended = 1 WHERE company_id = ?', account.companyID],
    'OWNER_INACTIVE',
  ],
  [
    'its plan loses API access',
    ({ account }) => [
      'UPDATE plan SET api_access = 0 WHERE plan_id = (SELECT plan_id FROM company WHERE company_id = ?)',
      account.companyID,
    ],
    'PLAN_FEATURE_UNAVAILABLE',
  ],
])(
  'a stream ends with the refusal as its last event after %s, and streams of others continue',
  async (_, end, code) => {
    const other = await createTenant(world.registry);
    const [stopped, kept] = [
      readStream(await openStream(second.url, {}, other)),
      readStream(await openStream(second.url)),
    ];
    await waitUntil('both streams have the status', () => [stopped, kept].every(({ text }) => text.includes('status')));
    const [sql, id] = end(other);
    await world.store.write(sql, [id]);
    await stopped.end;
    const last = stopped.text.trim().split('\n\n').at(-1);
    expect(last).toMatch(new RegExp(`^event: refused\\ndata: {"error":{"code":"${code}","message":".+"}}$`));
    expect(kept.text).not.toContain('refused');
    fakeInstance.body = { ...RUNNING_INSTANCE, userName: 'later' };
    rpc.notify(notifications.instancesChanged, { instanceIDs: [instanceID] });
    await waitUntil('the other stream continues', () => kept.text.includes('later'));
  },
);

test('an account with its maximum number of event streams is refused another one, and other accounts are not', async () => {
  // An aborted `fetch` of Node leaves open connections without a request, and a gateway that stops waits for them.
  const few = await createGateway({ ...world.config, ACCOUNT_STREAMS: 2, CLOSE_TIMEOUT_MS: 100 });
  try {
    const other = await createTenant(world.registry);
    const aborts = [new AbortController(), new AbortController()];
    const openOne = (credential: string, signal?: AbortSignal) =>
      fetch(`${few.url}/v1/instances/${instanceID}/events`, {
        headers: { authorization: `Bearer ${credential}` },
        ...(signal && { signal }),
      });
    const own = await Promise.all(aborts.map(({ signal }) => openOne(tenant.credential.value, signal)));
    expect(own.map(({ status }) => status)).toEqual([200, 200]);
    const refused = await openOne(tenant.credential.value);
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: { code: 'RATE_LIMITED', message: expect.stringContaining('at most 2 event streams') } },
    ]);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    const others = new AbortController();
    expect((await openOne(other.credential.value, others.signal)).status).toBe(200);
    others.abort();
    aborts[0]?.abort();
    // The test waits, because the gateway notices the end of a connection a moment later.
    await waitUntil('a closed stream makes room', async () => {
      const again = new AbortController();
      const { status } = await openOne(tenant.credential.value, again.signal);
      again.abort();
      return status === 200;
    });
    aborts[1]?.abort();
  } finally {
    await few.close();
  }
});

test('a client that disconnects before the reply of execution leaves no open stream', async () => {
  const few = await createGateway({ ...world.config, ACCOUNT_STREAMS: 1, CLOSE_TIMEOUT_MS: 100 });
  const { news } = executionReplies;
  const { promise: reply, resolve: sendReply } = Promise.withResolvers<void>();
  executionReplies.news = async (request) => {
    await reply;
    return news(request);
  };
  try {
    const client = new AbortController();
    const headers = { authorization: `Bearer ${tenant.credential.value}` };
    const url = `${few.url}/v1/instances/${instanceID}/events`;
    const aborted = fetch(url, { headers, signal: client.signal }).catch(() => undefined);
    await waitUntil('execution is asked', () => receivedRequests.length > 0);
    client.abort();
    await aborted;
    await waitUntil('the gateway counts the aborted request', async () =>
      /gateway_requests_total\{[^}]*events[^}]*aborted/.test(await (await fetch(`${few.url}/metrics`)).text()),
    );
    executionReplies.news = news;
    sendReply();
    // NATS delivers the reply to the aborted request before the one to this request.
    const next = new AbortController();
    expect((await fetch(url, { headers, signal: next.signal })).status).toBe(200);
    next.abort();
  } finally {
    executionReplies.news = news;
    sendReply();
    await few.close();
  }
});

test('a gateway that stops ends its open streams', async () => {
  const third = await createGateway(world.config);
  const stream = readStream(await openStream(third.url));
  await waitUntil('the stream has the status', () => stream.text.includes('event: status'));
  await third.close();
  await expect(stream.end).resolves.toBeUndefined();
});
