import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { createLogger } from '@batuta/logging';
import { NO_PROXIES } from '@batuta/network';
import { holdTimers } from '../../../../test/support/held-timers';
import { waitUntil } from '../../../../test/support/wait-until';
import { listenOnFreePort } from '../../../../test/support/web-server';
import { FakeRouter } from '../../test/fake-router';
import { CLOSED_PORT } from '../../test/tls-world';
import { RouterSocket, type SocketEvents } from './router-socket';

const logger = createLogger('agent', 'silent');
const HANDSHAKE_LIMIT_MS = 60_000;
let warn: jest.SpyInstance;
let info: jest.SpyInstance;

beforeEach(() => {
  warn = jest.spyOn(logger, 'warn');
  info = jest.spyOn(logger, 'info');
});
afterEach(() => jest.restoreAllMocks());

/** Opens a connection and closes it once it is open, or at once; resolves when it has ended, with the pause that the router asked for. */
function untilClosed(url: string, { atOnce = false, proxies = NO_PROXIES } = {}): Promise<number> {
  return new Promise((resolve) => {
    const onClose: SocketEvents['onClose'] = (_refusal, retryAfterMs) => resolve(retryAfterMs);
    const events = { onFrame: () => undefined, onWritable: () => undefined, onClose };
    const address = { url, key: 'k', proxies, handshakeLimitMs: HANDSHAKE_LIMIT_MS };
    const socket: RouterSocket = new RouterSocket(address, { ...events, onOpen: () => socket.close() }, logger);
    if (atOnce) socket.close();
  });
}

test('a router that cannot be reached is a warning, so that it is in the log at every level but error', async () => {
  await untilClosed(`ws://127.0.0.1:${CLOSED_PORT}`);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn).toHaveBeenCalledWith(
    { reason: expect.stringContaining('ECONNREFUSED') },
    expect.stringMatching(/the router cannot be reached.*batuta-agent doctor/),
  );
  expect(info).not.toHaveBeenCalled();
});

test('a refused connection is one line, with the status', async () => {
  const router = await FakeRouter.create();
  router.refuseWith = 401;
  await untilClosed(router.url);
  expect(warn.mock.calls).toEqual([[{ status: 401 }, 'the router refused the connection']]);
  expect(info).not.toHaveBeenCalled();
  await router.close();
});

test.each([
  ['the reason of the router', '{"error":{"code":"INVALID_CREDENTIAL","message":"send an activation key"}}', true],
  ['no page of a proxy', '<h1>Unauthorized</h1>', false],
  ['no answer of another shape', '{"error":"no"}', false],
  ['no answer that is too long', JSON.stringify({ error: { message: 'x'.repeat(5_000) } }), false],
])('the log of a refusal has %s', async (_what, body, shown) => {
  const router = createServer().on('upgrade', (_request, socket) => {
    socket.end(`HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  });
  await untilClosed(`ws://127.0.0.1:${await listenOnFreePort(router)}`);
  const fields = { status: 401, ...(shown && { reason: 'send an activation key' }) };
  expect(warn.mock.calls).toEqual([[fields, 'the router refused the connection']]);
  router.close();
});

test.each([
  ['asks for a pause', { 'retry-after': '20' }, 20_000],
  ['asks for none', {}, 0],
  ['asks for less than nothing', { 'retry-after': '-20' }, 0],
  ['names a date that has passed', { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
])('a refusal that %s, with the headers %j, asks for a pause of %i ms', async (_what, headers, pause) => {
  const router = createServer().on('upgrade', (_request, socket) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\nConnection: close\r\n${lines.join('')}\r\n`);
  });
  const port = await listenOnFreePort(router);
  expect(await untilClosed(`ws://127.0.0.1:${port}`)).toBe(pause);
  router.close();
});

test('a connection ends when its proxy opens a tunnel in which nobody answers', async () => {
  const requests = new EventEmitter();
  const tunnels: Socket[] = [];
  const proxy = createServer().on('connect', (_request, tunnel: Socket) => {
    tunnels.push(tunnel.on('error', () => undefined));
    tunnel.write('HTTP/1.1 200 Connected\r\n\r\n');
    tunnel.on('data', () => requests.emit('handshake'));
  });
  const url = `http://127.0.0.1:${await listenOnFreePort(proxy)}`;
  const timers = holdTimers(HANDSHAKE_LIMIT_MS);
  try {
    const handshake = once(requests, 'handshake');
    const closed = untilClosed('wss://router.example', { proxies: { http: url, https: url, none: [] } });
    await handshake;
    timers.fire();
    await closed;
    const reason = 'the proxy opened no connection in time';
    expect(warn).toHaveBeenCalledWith({ reason }, expect.stringMatching(/cannot be reached/));
    await waitUntil('the tunnel is closed', () =>
      tunnels.every(({ readableEnded, destroyed }) => readableEnded || destroyed),
    );
  } finally {
    timers.release();
    for (const tunnel of tunnels) tunnel.destroy();
    proxy.close();
  }
});

test('a proxy that refuses the tunnel, and then resets the connection, does not end the agent', async () => {
  const tunnels: Socket[] = [];
  const proxy = createServer().on('connect', (_request, tunnel: Socket) => {
    tunnels.push(tunnel.on('error', () => undefined).resume());
    tunnel.write('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n');
  });
  const url = `http://127.0.0.1:${await listenOnFreePort(proxy)}`;
  try {
    await untilClosed('wss://router.example', { proxies: { http: url, https: url, none: [] } });
    const isClosed = ({ readableEnded, destroyed }: Socket) => readableEnded || destroyed;
    await waitUntil('the agent has closed its connection to the proxy', () => tunnels.some(isClosed));
    expect(warn).toHaveBeenCalledWith({ reason: expect.stringContaining('503') }, expect.any(String));
  } finally {
    for (const tunnel of tunnels) tunnel.resetAndDestroy();
    proxy.close();
  }
});

test('the end of an open connection is no warning', async () => {
  const router = await FakeRouter.create();
  await untilClosed(router.url);
  expect(info).toHaveBeenCalledWith({ code: 1000, reason: '' }, 'the connection to the router closed');
  expect(warn).not.toHaveBeenCalled();
  await router.close();
});

test('an agent that stops while it connects does not warn of its router', async () => {
  const router = await FakeRouter.create();
  await untilClosed(router.url, { atOnce: true });
  expect(warn).not.toHaveBeenCalled();
  await router.close();
});
