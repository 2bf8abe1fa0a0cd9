import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import { openEndlessRequest, untilClosed } from '../../../../test/support/endless-request';
import { holdTimers } from '../../../../test/support/held-timers';
import { TestAgent } from '../../test/test-agent';
import { waitUntilTrue } from '../../test/until';
import { RouterWorld } from '../../test/world';
import type { RunningRouter } from '../app';

let world: RouterWorld;
let router: RunningRouter;

beforeAll(async () => {
  // Stops the timer of the key look-up, because a slow machine would refuse valid keys.
  holdTimers(3_000);
  world = await RouterWorld.create();
  router = await world.startRouter({ ENVIRONMENT_SESSIONS: 2, FAILING_KEYS_PER_MINUTE: 1_000 });
});

afterAll(() => world?.close());

/** The code in the error envelope of an HTTP answer. */
function errorCodeOf(envelope: unknown): string {
  const { code, message }: { code?: unknown; message?: unknown } = Object(Object(envelope).error);
  if (typeof code !== 'string' || typeof message !== 'string') throw new Error('The answer is not an error envelope');
  return code;
}

/** The HTTP answer to an upgrade request; status 101 means that the router accepted it. */
function handshake(url: string, headers: Record<string, string>): Promise<{ status?: number; code: string }> {
  return new Promise((resolve, reject) => {
    const upgrade = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const upgradeRequest = request(url, { headers: { ...upgrade, ...headers } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode, code: errorCodeOf(JSON.parse(body)) }));
    });
    upgradeRequest.on('upgrade', (_response, socket) => {
      socket.destroy();
      resolve({ status: 101, code: '' });
    });
    upgradeRequest.on('error', reject).end();
  });
}

/** Sends these bytes; returns everything that the server sends until it closes. */
async function answerTo(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  let text = '';
  for await (const chunk of connect(Number(port), hostname).setEncoding('utf8').end(bytes)) text += String(chunk);
  return text;
}

test.each([
  ['without a key', '/agent/v1', {}, 401, 'MISSING_CREDENTIAL'],
  ['with an unknown key', '/agent/v1', { Authorization: 'Bearer bak_x' }, 401, 'INVALID_CREDENTIAL'],
  ['on another path', '/agent/v2', {}, 404, 'NOT_FOUND'],
])('a connection %s is refused with the error envelope', async (_case, path, headers, status, code) => {
  expect(await handshake(router.url + path, headers)).toEqual({ status, code });
});

test.each([
  [
    'bat_live_',
    /an account credential \(bat_live_…\), which belongs in \\"Authorization: Bearer\\" of the external API/,
  ],
  ['bpk_', /a process key \(bpk_…\), which belongs in X-Process-Key; send an activation key \(bak_…\)/],
])(
  'a connection with a secret %s… is refused by its kind, and with nothing else of its value',
  async (prefix, message) => {
    const upgrade = 'GET /agent/v1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
    const answer = await answerTo(router.url, `${upgrade}Authorization: Bearer ${prefix}s3cret\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 401 [^]*"INVALID_CREDENTIAL"/);
    expect(answer).toMatch(message);
    expect(answer).not.toContain('s3cret');
  },
);

test('an address with too many wrong keys is refused for a while, also with a valid key', async () => {
  const strict = await world.startRouter({ FAILING_KEYS_PER_MINUTE: 2 });
  const { key } = await world.addEnvironment();
  const agentURL = `${strict.url}/agent/v1`;
  await handshake(agentURL, {});
  await handshake(agentURL, { Authorization: 'Bearer bak_x' });
  expect(await handshake(agentURL, { Authorization: `Bearer ${key}` })).toEqual({ status: 429, code: 'RATE_LIMITED' });
});

test.each([
  ['0', 429],
  ['1', 101],
])(
  'with TRUST_PROXY=%s a client behind the same proxy as one with wrong keys is answered with %i',
  async (trusted, status) => {
    const behind = await world.startRouter({ FAILING_KEYS_PER_MINUTE: 1, TRUST_PROXY: Number(trusted) });
    const { key } = await world.addEnvironment();
    const agentURL = `${behind.url}/agent/v1`;
    await handshake(agentURL, { 'X-Forwarded-For': '203.0.113.9' });
    const neighbour = { Authorization: `Bearer ${key}`, 'X-Forwarded-For': '203.0.113.10' };
    expect((await handshake(agentURL, neighbour)).status).toBe(status);
  },
);

test('an invalid handshake, and bytes that are not HTTP, are answered with the error envelope', async () => {
  const { key } = await world.addEnvironment();
  const headers = { Authorization: `Bearer ${key}`, 'Sec-WebSocket-Key': 'x' };
  expect(await handshake(`${router.url}/agent/v1`, headers)).toEqual({ status: 400, code: 'BAD_REQUEST' });
  expect(await answerTo(router.url, 'GARBAGE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [^]*{"error":{"code":"BAD_REQUEST"/);
});

test.each([
  ['upgrade', 'GET /agent/v1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ['request', 'GARBAGE\r\n\r\n'],
])('the connection of a refused %s is closed although the peer never closes its half', async (_name, bytes) => {
  const { hostname, port } = new URL(router.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.on('error', () => {}).resume();
  socket.write(bytes);
  await waitUntilTrue(() => {
    socket.write('still here');
    return socket.destroyed;
  }, 'the end of the connection');
  expect(socket.destroyed).toBe(true);
});

test('the welcome carries session, heartbeat interval and a grace period below the lease', async () => {
  const leasing = await world.startRouter({ LEASE_SECONDS: 60 });
  const { environmentID, key } = await world.addEnvironment();
  const { agent, welcome } = await TestAgent.join(leasing.url, key);
  expect(welcome).toMatchObject({ environmentID, heartbeatSeconds: 5, graceSeconds: 30, granted: [], revoked: [] });
  expect(await world.findSession(welcome.sessionID)).toMatchObject({ closed: 0, alive: 1 });
  agent.send({ type: 'heartbeat' });
  await agent.takeFrame('heartbeat');
  agent.cut();
  await waitUntilTrue(async () => (await world.findSession(welcome.sessionID))?.closed === 1, 'the closed row');
});

const HELLO = { type: 'hello', protocol: 1, agent: 'a', runtimeVersion: '1', capacity: 1 };

test.each([
  ['a message that is not JSON', '{', 4400, /^frame: /],
  ['a frame before the hello', { type: 'heartbeat' }, 4400, /^type: /],
  ['a hello without a capacity', { type: 'hello', protocol: 1 }, 4400, /^[a-zA-Z]+: /],
  ['a public key that is too short', { ...HELLO, publicKey: 'AAAA' }, 4400, /^publicKey: /],
  ['a public key to which nothing can be sealed', { ...HELLO, publicKey: `${'A'.repeat(43)}=` }, 4400, /^publicKey: /],
  ['another protocol version', { type: 'hello', protocol: 7 }, 4409, /^protocol: /],
])('%s is refused with the name of the wrong field', async (_name, frame, code, message) => {
  const { key } = await world.addEnvironment();
  const agent = await TestAgent.connect(router.url, key);
  agent.send(frame);
  expect((await agent.takeFrame('error')).message).toMatch(message);
  expect(await agent.waitForClose()).toBe(code);
});

test('the refusal of a report that is invalid names its instance to the agent', async () => {
  const { key } = await world.addEnvironment();
  const { agent } = await TestAgent.join(router.url, key);
  const instanceID = randomUUID();
  agent.send({ type: 'report', instanceID, fence: 1, seq: -1, lines: [] });
  expect(await agent.takeFrame('error')).toMatchObject({ instanceID, message: expect.stringMatching(/^seq: /) });
  expect(await agent.waitForClose()).toBe(4400);
});

test('the refusal of a report by execution names its instance to the agent', async () => {
  const { environmentID, key } = await world.addEnvironment();
  const { agent } = await TestAgent.join(router.url, key);
  const instanceID = randomUUID();
  world.fake.queue(environmentID, instanceID);
  const held = await agent.acceptOffer();
  world.fake.fail('report', 1, false, 'BAD_REQUEST');
  agent.sendReport(held, 1);
  expect(await agent.takeFrame('error')).toMatchObject({ code: 'BAD_FRAME', instanceID });
  expect(await agent.waitForClose()).toBe(4400);
});

test('a binary message and a second hello are refused with close code 4400', async () => {
  const { key } = await world.addEnvironment();
  const { agent } = await TestAgent.join(router.url, key);
  agent.sendHello();
  expect(await agent.waitForClose()).toBe(4400);
  const { agent: other } = await TestAgent.join(router.url, key);
  other.socket.send(Buffer.from('{"type":"heartbeat"}'), { binary: true });
  expect(await other.waitForClose()).toBe(4400);
});

test('a message above the maximum frame size closes the connection with 1009', async () => {
  const { key } = await world.addEnvironment();
  const agent = await TestAgent.connect(router.url, key);
  agent.send('x'.repeat(8 * 1024 * 1024 + 1));
  expect(await agent.waitForClose()).toBe(1009);
});

test.each<[string, number, (socket: TestAgent['socket']) => void]>([
  ['text that is not UTF-8', 1007, (socket) => socket.send(Buffer.from([0xc3, 0x28]), { binary: false })],
  [
    'more than 1,024 WebSocket frames',
    1008,
    (socket) => {
      for (let sent = 1; sent <= 1_025; sent += 1) socket.send(' ', { fin: sent === 1_025 });
    },
  ],
])('a message of %s closes the connection with %i', async (_name, code, send) => {
  const { key } = await world.addEnvironment();
  const { agent } = await TestAgent.join(router.url, key);
  send(agent.socket);
  expect(await agent.waitForClose()).toBe(code);
});

test('a connection without a hello within the time limit is closed with 4408', async () => {
  const routerWithShortLimit = await world.startRouter({ HELLO_SECONDS: 1 });
  const { key } = await world.addEnvironment();
  const agent = await TestAgent.connect(routerWithShortLimit.url, key);
  expect(await agent.waitForClose()).toBe(4408);
});

test('a session above the limit of its environment is closed with 4429', async () => {
  const { key } = await world.addEnvironment();
  await TestAgent.join(router.url, key);
  await TestAgent.join(router.url, key);
  const third = await TestAgent.connect(router.url, key);
  third.sendHello();
  expect(await third.waitForClose()).toBe(4429);
  const { message } = await third.takeFrame('error');
  expect(message).toBe('An environment has at most 2 sessions at one router; end one, or use another environment.');
});

test('a router accepts no more connections than its maximum, also when many arrive at once', async () => {
  const { url } = await world.startRouter({ CONNECTIONS: 2 });
  const { key } = await world.addEnvironment();
  const agents = await Promise.all(Array.from({ length: 8 }, () => TestAgent.connect(url, key)));
  expect(agents.filter(({ closed }) => closed === undefined)).toHaveLength(2);
});

test('a company with its full share of connections is refused another one, with or without a hello, and other companies are not', async () => {
  const few = await world.startRouter({ COMPANY_CONNECTIONS: 2 });
  const companyID = randomUUID();
  const [one, two, other] = [
    await world.addEnvironment(1, companyID),
    await world.addEnvironment(1, companyID),
    await world.addEnvironment(),
  ];
  const agentURL = `${few.url}/agent/v1`;
  const silent = await TestAgent.connect(few.url, one.key);
  await TestAgent.join(few.url, two.key);
  const refused = await handshake(agentURL, { Authorization: `Bearer ${one.key}` });
  expect(refused).toEqual({ status: 429, code: 'RATE_LIMITED' });
  await TestAgent.join(few.url, other.key);
  silent.socket.terminate();
  await waitUntilTrue(async () => {
    const again = await handshake(agentURL, { Authorization: `Bearer ${one.key}` });
    return again.status === 101;
  }, 'a place for the company');
});

test.each([
  ['is rotated', 'UPDATE environment SET activation_key_hash = RANDOM_BYTES(32) WHERE environment_id = ?'],
  ['ends with its environment', 'DELETE FROM environment WHERE environment_id = ?'],
])('a connection whose key %s before the hello becomes no session', async (_name, sql) => {
  const routerWithRareChecks = await world.startRouter({ ENVIRONMENTS_MS: 60_000 });
  const { environmentID, key } = await world.addEnvironment();
  const agent = await TestAgent.connect(routerWithRareChecks.url, key);
  await world.store.write(sql, [environmentID]);
  agent.sendHello();
  expect(await agent.takeFrame('error')).toMatchObject({ code: 'INVALID_CREDENTIAL' });
  expect(await agent.waitForClose()).toBe(4401);
  expect(await world.store.rows('SELECT 1 FROM agent_session WHERE environment_id = ?', [environmentID])).toEqual([]);
});

test.each([
  ['a rotated key', 4401, 'UPDATE environment SET activation_key_hash = RANDOM_BYTES(32) WHERE environment_id = ?'],
  ['a deleted environment', 4403, 'DELETE FROM environment WHERE environment_id = ?'],
])('the sessions of %s end, with and without a notification', async (_name, code, sql) => {
  for (const notified of [true, false]) {
    const { environmentID, key } = await world.addEnvironment();
    const { agent } = await TestAgent.join(router.url, key);
    await world.store.write(sql, [environmentID]);
    if (notified) world.notifyChanged(environmentID);
    await agent.takeFrame('error');
    expect(await agent.waitForClose()).toBe(code);
  }
});

test('a router stops although the request of a client never ends', async () => {
  const stopping = await world.startRouter();
  const client = await openEndlessRequest(stopping.url);
  await stopping.close();
  await untilClosed(client);
  expect(client.destroyed).toBe(true);
});

test('an unknown path is answered with the error envelope', async () => {
  const answer = await fetch(`${router.url}/agent/v1`);
  expect([answer.status, errorCodeOf(await answer.json())]).toEqual([404, 'NOT_FOUND']);
});
