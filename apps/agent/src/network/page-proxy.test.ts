import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { listenOnFreePort } from '../../../../test/support/web-server';
import { ProxyServer } from '../../test/tls-world';
import { hostAccess } from './host-access';
import { agentHostRules } from './agent-host-rules';
import { PageProxy } from './page-proxy';

const server = createServer((incoming, response) => {
  response.setHeader(
    'x-seen',
    `${incoming.method} ${incoming.headers.host} ${String(incoming.headers['proxy-connection'])}`,
  );
  incoming.pipe(response);
});
let upstream: Awaited<ReturnType<typeof ProxyServer.create>>;
let port: number;
let proxy: PageProxy;

beforeAll(async () => {
  port = await listenOnFreePort(server);
  upstream = await ProxyServer.create();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  upstream.close();
});
beforeEach(() => {
  upstream.requests.length = 0;
});
afterEach(() => proxy.close());

/** Sends a request through the proxy as a browser does for an http address. */
const getThroughProxy = (url: string, body?: string): Promise<{ status: number; text: string; seen: unknown }> =>
  new Promise((resolve, reject) => {
    const sent = request(proxy.url, {
      method: body === undefined ? 'GET' : 'POST',
      path: url,
      agent: false,
      headers: { host: new URL(url).host, 'proxy-connection': 'keep-alive' },
    });
    sent.on('error', reject).on('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, seen: response.headers['x-seen'] }));
    });
    sent.end(body);
  });
/**
 * Opens a tunnel through the proxy as a browser does for an https or WebSocket address; resolves to the first bytes that the
 * proxy and the host send.
 */
const tunnelThroughProxy = (authority: string, sent: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1', () =>
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`),
    );
    let text = '';
    socket.on('error', reject).on('close', () => resolve(text));
    socket.on('data', (chunk: Buffer) => {
      if (text === '' && chunk.toString().startsWith('HTTP/1.1 200')) socket.write(sent);
      text += chunk.toString();
    });
  });

test('a page gets plain requests and tunnels to permitted hosts', async () => {
  proxy = await PageProxy.open(hostAccess(agentHostRules()));
  expect(await getThroughProxy(`http://localhost:${port}/a?b`, 'sent')).toEqual({
    status: 200,
    text: 'sent',
    seen: `POST localhost:${port} undefined`,
  });
  const answer = await tunnelThroughProxy(
    `localhost:${port}`,
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 Connection Established\r\n\r\nHTTP\/1\.1 200 OK\r\nx-seen: GET x/);
  expect(proxy.problems.size).toBe(0);
});

test('a page gets the headers of an answer before the first byte of its body', async () => {
  const streaming = createServer((_incoming, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  });
  const url = `http://127.0.0.1:${await listenOnFreePort(streaming)}/`;
  proxy = await PageProxy.open(hostAccess(agentHostRules()));
  const sent = request(proxy.url, { path: url, agent: false, headers: { host: new URL(url).host } }).end();
  sent.on('error', () => undefined);
  const [answer] = await once(sent, 'response');
  expect(answer.headers['content-type']).toBe('text/event-stream');
  streaming.closeAllConnections();
  streaming.close();
});

test('a page whose server switches to another protocol unasked is not loaded, and the reason is kept', async () => {
  const switching = createTcpServer((socket) =>
    socket
      .on('error', () => undefined)
      .write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  );
  const authority = `127.0.0.1:${await listenOnFreePort(switching)}`;
  proxy = await PageProxy.open(hostAccess(agentHostRules()));
  await expect(getThroughProxy(`http://${authority}/`)).rejects.toThrow(/hang up/);
  expect(proxy.problems.get(authority)?.message).toContain('the server switched to another protocol');
  switching.close();
});

test.each(['169.254.169.254:80', 'localhost:1', '[::ffff:10.0.0.1]:80', '2852039166:80'])(
  'a page reaches the refused host %s neither by a plain request nor by a tunnel, and the reason is kept',
  async (authority) => {
    proxy = await PageProxy.open(hostAccess(agentHostRules({ deny: ['127.0.0.0/8', '10.0.0.0/8'] })));
    await expect(getThroughProxy(`http://${authority}/`)).rejects.toThrow(/hang up/);
    expect([...proxy.problems.values()].join()).toContain('the agent does not connect to');
    proxy.forgetProblems();
    expect(await tunnelThroughProxy(authority, '')).toMatch(/^HTTP\/1\.1 403 /);
    expect([...proxy.problems.values()].join()).toContain('the agent does not connect to');
  },
);

test('the proxy of the agent is used for pages too, and is not asked for a refused host', async () => {
  const proxies = { http: upstream.url, https: upstream.url, none: [] };
  proxy = await PageProxy.open(hostAccess(agentHostRules({ deny: ['denied.example'] }), proxies));
  expect((await getThroughProxy('http://erp.example/orders')).text).toBe('from the proxy');
  expect(
    await tunnelThroughProxy(`erp.example:${port}`, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
  ).toContain('200 OK');
  expect(await tunnelThroughProxy('denied.example:443', '')).toMatch(/^HTTP\/1\.1 403 /);
  await expect(getThroughProxy('http://denied.example/')).rejects.toThrow(/hang up/);
  const credentials = `Basic ${Buffer.from('user:word').toString('base64')}`;
  expect(upstream.requests).toEqual(['GET http://erp.example/orders', `CONNECT erp.example:${port} ${credentials}`]);
});

test('the reason why a page is not reached names the proxy of the agent without its credentials', async () => {
  const refusing = createServer().on('connect', (_request, socket) => socket.end('HTTP/1.1 407 No\r\n\r\n'));
  const address = `127.0.0.1:${await listenOnFreePort(refusing)}`;
  const proxies = { http: undefined, https: `http://user:word@${address}`, none: [] };
  proxy = await PageProxy.open(hostAccess(agentHostRules(), proxies));
  expect(await tunnelThroughProxy('erp.example:443', '')).toMatch(/^HTTP\/1\.1 502 /);
  expect(proxy.problems.get('erp.example:443')?.message).toBe(
    `cannot connect to erp.example:443 through the proxy http://${address}: the proxy answered with status 407`,
  );
  refusing.close();
});

test('of the hosts that a page does not reach the latest 50 are kept, also one that failed long before', async () => {
  proxy = await PageProxy.open(hostAccess(agentHostRules({ deny: ['10.0.0.0/8'] })));
  const hosts = Array.from({ length: 50 }, (_, n) => `10.0.0.${n + 1}:443`);
  for (const host of [...hosts, '10.0.0.1:443', '10.0.1.1:443']) await tunnelThroughProxy(host, '');
  expect([...proxy.problems.keys()]).toEqual([...hosts.slice(2), '10.0.0.1:443', '10.0.1.1:443']);
});

test('a request that is not addressed to a proxy is refused', async () => {
  proxy = await PageProxy.open(hostAccess(agentHostRules()));
  expect(await tunnelThroughProxy('nonsense', '')).toMatch(/^HTTP\/1\.1 400 /);
  const { status } = await fetch(proxy.url);
  expect(status).toBe(400);
});

test.each([
  '1.2.3.256:443',
  'a|b:443',
  'localhost:65536',
  'a/b:443',
  'user@localhost:443',
  'a?b:443',
  'a#b:443',
  'a\\b:443',
])('a tunnel to %s, which makes no valid address, is refused, and the proxy goes on', async (authority) => {
  proxy = await PageProxy.open(hostAccess(agentHostRules()));
  expect(await tunnelThroughProxy(authority, '')).toMatch(/^HTTP\/1\.1 400 /);
  expect((await getThroughProxy(`http://localhost:${port}/`)).status).toBe(200);
});

test.each(['HTTP/1.1 099 Odd', 'HTTP/1.1 200 O\u0001K'])(
  'an answer that begins with %j, which Node reads and refuses to write, ends nothing but the request',
  async (head) => {
    const malformedServer = createTcpServer((socket) =>
      socket.on('error', () => undefined).end(`${head}\r\n\r\n`, 'latin1'),
    );
    const malformedPort = await listenOnFreePort(malformedServer);
    proxy = await PageProxy.open(hostAccess(agentHostRules()));
    await getThroughProxy(`http://127.0.0.1:${malformedPort}/`).catch(() => undefined);
    expect((await getThroughProxy(`http://localhost:${port}/`)).status).toBe(200);
    malformedServer.close();
  },
);
