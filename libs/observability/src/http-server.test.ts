import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { waitUntil } from '../../../test/support/wait-until';
import { listenOnFreePort } from '../../../test/support/web-server';
import { closeServer, limitServer } from './http-server';
import { createLogger } from '@batuta/logging';

test('a connection with unread bytes is cut after a while, and one whose answer is still awaited is not', async () => {
  const closed: (string | undefined)[] = [];
  let awaited: ServerResponse | undefined;
  const server = createServer(({ url }, response) => {
    response.once('close', () => closed.push(url));
    if (url === '/awaited') awaited = response;
    else response.end('x'.repeat(20_000_000));
  });
  limitServer(server, createLogger('test', 'silent'), { unreadMs: 1_000 });
  const port = await listenOnFreePort(server);
  const open = (path: string) => get({ port, path, host: '127.0.0.1', agent: false }).on('error', () => {});
  const waiting = open('/awaited');
  const answered = once(waiting, 'response');
  await waitUntil('the awaited answer is open', () => awaited !== undefined);
  // The client never reads the response: its listener does nothing.
  const unread = open('/unread').on('response', () => {});
  await waitUntil('the unread connection is cut', () => closed.length > 0);
  awaited?.end('done');
  const [response] = await answered;
  expect([closed[0], response.statusCode]).toEqual(['/unread', 200]);
  unread.destroy();
  waiting.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('a request that has arrived when the server closes is answered, although nobody has read it yet', async () => {
  const server = createServer((_request, response) => response.end('done'));
  const client = connect({ host: '127.0.0.1', port: await listenOnFreePort(server) });
  const ask = () => client.write('GET / HTTP/1.1\r\nHost: any\r\n\r\n');
  ask();
  await once(client, 'data');
  const next = Promise.race([once(client, 'data'), once(client, 'close')]);
  ask();
  const app = {
    getHttpServer: () => server,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
  const closed = closeServer(app, 60_000);
  expect(String(await next)).toContain('HTTP/1.1 200 OK');
  await closed;
});

test('the time for requests in flight begins when the server no longer listens, after the modules have ended their work', async () => {
  const server = createServer();
  limitServer(server, createLogger('test', 'silent'));
  const port = await listenOnFreePort(server);
  const closeAll = jest.spyOn(server, 'closeAllConnections');
  let endWork = () => {};
  const work = new Promise<void>((resolve) => (endWork = resolve));
  const app = {
    getHttpServer: () => server,
    close: () => work.then(() => new Promise<void>((resolve) => server.close(() => resolve()))),
  };
  const closed = closeServer(app, 1);
  const client = connect({ host: '127.0.0.1', port });
  client.on('error', () => {}).write('GET / HTTP/1.1\r\n');
  const [socket] = await once(server, 'connection');
  await waitUntil('the beginning of the endless request is read', () => socket.bytesRead > 0);
  expect(closeAll).not.toHaveBeenCalled();
  endWork();
  await closed;
  expect(closeAll).toHaveBeenCalledTimes(1);
});

describe('at the end of the keep-alive time', () => {
  const KEPT_BRIEFLY = { keepAliveMs: 50, keepAliveBufferMs: 1_000 };

  /** A server, and a client whose first request it has answered. */
  async function openKeptConnection(limits?: Parameters<typeof limitServer>[2]) {
    const server = createServer((_request, response) => response.end('done'));
    limitServer(server, createLogger('test', 'silent'), limits);
    const client = connect({ host: '127.0.0.1', port: await listenOnFreePort(server) });
    const [serverSocket] = await once(server, 'connection');
    const ask = () => client.write('GET / HTTP/1.1\r\nHost: any\r\n\r\n');
    ask();
    const [answer] = await once(client, 'data');
    const stop = async () => {
      client.destroy();
      await new Promise((resolve) => server.close(resolve));
    };
    return { client, ask, stop, answer: String(answer), keptMs: Number(serverSocket.timeout) };
  }

  test('at the end of the keep-alive time a request that has arrived is answered, although the program was too busy to read it', async () => {
    const { client, ask, stop, keptMs } = await openKeptConnection(KEPT_BRIEFLY);
    const next = Promise.race([once(client, 'data'), once(client, 'close')]);
    ask();
    const busyUntil = performance.now() + 2 * keptMs;
    while (performance.now() < busyUntil);
    expect(String(await next)).toContain('HTTP/1.1 200 OK');
    await stop();
  });

  test('a connection is kept for much longer than announced, because the timer of a busy client is late', async () => {
    const { stop, answer, keptMs } = await openKeptConnection();
    expect(answer).toContain('Keep-Alive: timeout=75\r\n');
    expect(keptMs).toBeGreaterThanOrEqual(85_000);
    await stop();
  });

  test('an idle connection is closed at the end of its keep-alive time', async () => {
    const { client, stop } = await openKeptConnection(KEPT_BRIEFLY);
    await once(client, 'close');
    expect(client.closed).toBe(true);
    await stop();
  });
});

describe('further requests of a connection', () => {
  const responses = new Map<string, ServerResponse>();
  const server = createServer((request, response) => {
    responses.set(request.url ?? '', response);
  });
  let malformed = 0;
  let port: number;
  beforeAll(async () => {
    limitServer(server, createLogger('test', 'silent'));
    server.on('clientError', () => (malformed += 1));
    port = await listenOnFreePort(server);
  });
  beforeEach(() => {
    responses.clear();
    malformed = 0;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  /** A client; `closed` resolves to all that the server has sent when the connection has closed. */
  function openConnection() {
    const client = connect({ host: '127.0.0.1', port });
    let text = '';
    client.on('data', (chunk) => (text += String(chunk)));
    return { client, closed: once(client, 'close').then(() => text) };
  }
  async function sendMalformed(bytes: string) {
    const { client, closed } = openConnection();
    client.write(bytes);
    await waitUntil('the server has found the fault', () => malformed > 0);
    return { client, closed };
  }
  const GET = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: any\r\n${more}\r\n`;
  const CHUNKED = 'Transfer-Encoding: chunked\r\n';
  const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);

  test('the refusal of malformed bytes comes after the answer to the request before them', async () => {
    const { client, closed } = await sendMalformed(`${GET('/a')}} not HTTP\r\n\r\n`);
    client.write('more of it');
    await waitUntil('the server has read the rest', () => malformed > 1);
    responses.get('/a')?.end('done');
    expect(statusesOf(await closed)).toEqual(['200', '400']);
  });

  test('the refusal of a malformed body comes after the answers to all earlier requests', async () => {
    const { closed } = await sendMalformed(`${GET('/a')}${GET('/b')}${GET('/c', CHUNKED)}no size\r\n`);
    for (const path of ['/a', '/b']) responses.get(path)?.end('done');
    expect(statusesOf(await closed)).toEqual(['200', '200', '400']);
  });

  test('an answer that closes the connection is the last one, also when malformed bytes follow its request', async () => {
    const { closed } = await sendMalformed(`${GET('/a', 'Connection: close\r\n')}} not HTTP\r\n\r\n`);
    responses.get('/a')?.end('x'.repeat(5_000_000));
    const text = await closed;
    expect([statusesOf(text), text.length > 5_000_000]).toEqual([['200'], true]);
  });

  const CONNECT = 'CONNECT other:443 HTTP/1.1\r\nHost: any\r\n\r\n';

  test('CONNECT is refused with the envelope', async () => {
    const { client, closed } = openConnection();
    client.write(CONNECT);
    const text = await closed;
    expect(statusesOf(text)).toEqual(['404']);
    expect(text).toContain('{"error":{"code":"NOT_FOUND"');
  });

  test('CONNECT before the answer to an earlier request closes the connection', async () => {
    const { client, closed } = openConnection();
    client.write(`${GET('/a')}${CONNECT}`);
    expect(await closed).toBe('');
  });

  test('the refusal of an expectation closes the connection, because the client does not send the body', async () => {
    const { client, closed } = openConnection();
    client.write(`POST /a HTTP/1.1\r\nHost: any\r\nExpect: coffee\r\nContent-Length: 5\r\n\r\n`);
    expect(statusesOf(await closed)).toEqual(['417']);
  });

  test('a connection is not upgraded before the answer to the request before it', async () => {
    const upgrade = jest.fn();
    server.once('upgrade', upgrade);
    const { client, closed } = openConnection();
    client.write(`${GET('/a')}${GET('/b', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')}`);
    const second = await waitUntil('the second request arrives', () => responses.get('/b'));
    responses.get('/a')?.end('done');
    second.setHeader('Connection', 'close').end('done');
    expect(statusesOf(await closed)).toEqual(['200', '200']);
    expect(upgrade).not.toHaveBeenCalled();
    server.removeListener('upgrade', upgrade);
  });

  test('a request that offers HTTP/2, as clients of Java do, is answered without a change of the protocol', async () => {
    const upgrade = jest.fn((_request: unknown, socket: Duplex) => socket.destroy());
    server.once('upgrade', upgrade);
    const { client, closed } = openConnection();
    client.write(GET('/a', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'));
    await waitUntil('the request arrives', () => responses.has('/a') || upgrade.mock.calls.length > 0);
    responses.get('/a')?.setHeader('Connection', 'close').end('done');
    expect(statusesOf(await closed)).toEqual(['200']);
    server.removeListener('upgrade', upgrade);
  });

  test('the refusal of a malformed body is the answer to its request when there is none yet', async () => {
    const { closed } = await sendMalformed(`${GET('/a', CHUNKED)}no size\r\n`);
    expect(statusesOf(await closed)).toEqual(['400']);
  });

  test('no refusal follows the answer to a request whose body does not arrive in time', async () => {
    const { client, closed } = openConnection();
    client.write(GET('/a', 'Content-Length: 5\r\n'));
    const response = await waitUntil('the request arrives', () => responses.get('/a'));
    const { socket } = response.req;
    const answered = once(client, 'data');
    response.end('done');
    await Promise.all([answered, once(response, 'close')]);
    // Node emits this event at the time limit of the request.
    const timeout = Object.assign(new Error('The request timed out'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    server.emit('clientError', timeout, socket);
    expect(statusesOf(await closed)).toEqual(['200']);
  });

  test('malformed bytes after a request whose body nobody has read are refused', async () => {
    server.once('request', (request) => request.on('data', () => {}).pause());
    const { client, closed } = openConnection();
    client.write(GET('/a', 'Content-Length: 5\r\n'));
    const response = await waitUntil('the request arrives', () => responses.get('/a'));
    response.end('done');
    await once(response, 'close');
    client.write('hello} not HTTP\r\n\r\n');
    expect(statusesOf(await closed)).toEqual(['200', '400']);
  });

  test('an answer that has begun is cut when the body of its request is malformed', async () => {
    const { client, closed } = openConnection();
    client.write(GET('/a', CHUNKED));
    const response = await waitUntil('the request arrives', () => responses.get('/a'));
    response.write('half of');
    await once(client, 'data');
    client.write('no size\r\n');
    expect(statusesOf(await closed)).toEqual(['200']);
  });
});
