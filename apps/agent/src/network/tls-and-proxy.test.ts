import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { listenOnFreePort } from '../../../../test/support/web-server';
import { AgentWorld } from '../../test/agent-world';
import { FakeRouter } from '../../test/fake-router';
import { certificateFile, ProxyServer, tlsServer } from '../../test/tls-world';
import { guardedFetch } from '@batuta/guarded-fetch';
import { agentHostRules } from './agent-host-rules';
import { trustAuthoritiesIn } from './trusted-authorities';

const folder = mkdtempSync(join(tmpdir(), 'batuta-tls-'));
const trustedBefore = getCACertificates('default');
let proxy: Awaited<ReturnType<typeof ProxyServer.create>>;
const server = tlsServer().on('request', (_request, response) => response.end('over TLS'));
let port: number;

beforeAll(async () => {
  proxy = await ProxyServer.create();
  port = await listenOnFreePort(server);
});
afterAll(() => {
  setDefaultCACertificates(trustedBefore);
  rmSync(folder, { recursive: true });
  proxy.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  proxy.requests.length = 0;
});
const proxies = () => ({ http: proxy.url, https: proxy.url, none: [] });

// This test comes first: the process of the tests trusts the authorities that the test adds from then on.
test('the certificate of a server is checked, and --ca-file adds authorities that are trusted', async () => {
  const direct = guardedFetch(agentHostRules());
  await expect(direct(`https://localhost:${port}/`)).rejects.toMatchObject({
    cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  });
  trustAuthoritiesIn(certificateFile(folder));
  expect(await (await direct(`https://localhost:${port}/`)).text()).toBe('over TLS');
});

test('a file without a certificate is refused', () => {
  expect(() => trustAuthoritiesIn(__filename)).toThrow(/contains no certificate/);
});

test('a call goes through the proxy: https in a tunnel, http as a request', async () => {
  const fetcher = guardedFetch(agentHostRules(), proxies());
  expect(await (await fetcher(`https://localhost:${port}/`)).text()).toBe('over TLS');
  expect(await (await fetcher('http://erp.example/orders')).text()).toBe('from the proxy');
  const credentials = `Basic ${Buffer.from('user:word').toString('base64')}`;
  expect(proxy.requests).toEqual([`CONNECT localhost:${port} ${credentials}`, 'GET http://erp.example/orders']);
});

test.each(['http://denied.example/', 'http://10.1.1.1/', 'http://metadata.google.internal/', 'http://2852039166/'])(
  'the proxy is not asked for the refused host of %s',
  async (url) => {
    const fetcher = guardedFetch(agentHostRules({ deny: ['denied.example', '10.0.0.0/8'] }), proxies());
    await expect(fetcher(url)).rejects.toThrow(/the agent does not connect to/);
    expect(proxy.requests).toEqual([]);
  },
);

test('a host of NO_PROXY is reached directly', async () => {
  const fetcher = guardedFetch(agentHostRules(), { ...proxies(), none: ['localhost'] });
  expect(await (await fetcher(`https://localhost:${port}/`)).text()).toBe('over TLS');
  expect(proxy.requests).toEqual([]);
});

test('the agent connects to its router through the proxy', async () => {
  const routerServer = tlsServer();
  const routerPort = await listenOnFreePort(routerServer);
  const world = await AgentWorld.create(await FakeRouter.create(routerServer));
  await world.startAgent({ BATUTA_ROUTER_URL: `https://localhost:${routerPort}`, HTTPS_PROXY: proxy.url });
  const { hello } = await world.nextHello();
  expect(hello.type).toBe('hello');
  expect(proxy.requests).toEqual([expect.stringMatching(`^CONNECT localhost:${routerPort} Basic `)]);
  await world.close();
});
