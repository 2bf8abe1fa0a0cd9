import type { ServerResponse } from 'node:http';
import { guardedFetch as guarded } from './guarded-fetch';
import { HostRefusedError, HostRules, type ResolveHost } from '@batuta/network';
import { waitUntil } from '../../../test/support/wait-until';
import { startWebServer, type WebServer } from '../../../test/support/web-server';

const guardedFetch = (rules: HostRules, resolve: ResolveHost) => guarded(rules, undefined, resolve);
const servers: WebServer[] = [];

/** A server that answers with its name, and redirects `/to?<address>` to that address. */
async function startNamedServer(name: string): Promise<{ port: number; calls: string[] }> {
  const calls: string[] = [];
  const server = await startWebServer(({ url = '' }, response) => {
    calls.push(url);
    const [, location] = /^\/to\?(.*)$/.exec(url) ?? [];
    response.writeHead(location === undefined ? 200 : 302, location === undefined ? {} : { location }).end(name);
  });
  servers.push(server);
  return { port: server.port, calls };
}
let first: Awaited<ReturnType<typeof startNamedServer>>;
let second: typeof first;

beforeAll(async () => {
  [first, second] = await Promise.all([startNamedServer('first'), startNamedServer('second')]);
});
afterAll(async () => {
  for (const server of servers) await server.stop();
});

/** Every name resolves to the addresses of its first label: `a-127-0-0-1.test` to 127.0.0.1. */
const resolveLabel: ResolveHost = (host, _options, done) => {
  const addresses =
    host
      .split('.', 1)[0]
      ?.split('_')
      .map((label) => label.replaceAll('-', '.')) ?? [];
  done(
    null,
    addresses.map((address) => ({ address, family: 4 })),
  );
};
const textOf = async (fetcher: typeof fetch, url: string) => (await fetcher(url)).text();

test('a permitted address answers, also by its name and on a kept connection', async () => {
  const fetcher = guardedFetch(HostRules.of(), resolveLabel);
  for (const host of ['127.0.0.1', '127-0-0-1.test', '127-0-0-1.test', '2130706433']) {
    expect(await textOf(fetcher, `http://${host}:${first.port}/`)).toBe('first');
  }
});

test.each(['127.0.0.1', '2130706433', '0x7f.1', '017700000001', '[::ffff:127.0.0.1]', '127-0-0-1.test', '0.0.0.0'])(
  'a denied address is refused as %s, and no request is sent',
  async (host) => {
    const fetcher = guardedFetch(HostRules.of({ deny: ['127.0.0.0/8'] }), resolveLabel);
    const before = first.calls.length;
    await expect(fetcher(`http://${host}:${first.port}/`)).rejects.toThrow(HostRefusedError);
    await expect(fetcher(`https://${host}:${first.port}/`)).rejects.toThrow(HostRefusedError);
    expect(first.calls).toHaveLength(before);
  },
);

test('a name whose address changes to a denied one between two calls is refused', async () => {
  const addresses = ['127.0.0.1', '169.254.169.254'];
  const rebinding: ResolveHost = (_host, _options, done) => {
    done(null, [{ address: addresses.shift() ?? '', family: 4 }]);
  };
  const fetcher = guardedFetch(HostRules.of(), rebinding);
  expect(await textOf(fetcher, `http://rebound.test:${first.port}/`)).toBe('first');
  await expect(fetcher(`http://rebound.test:${second.port}/`)).rejects.toThrow(/169\.254\.169\.254/);
});

test.each([
  ['the address', (port: number) => `http://127.0.0.1:${port}/`],
  ['a name of the address', (port: number) => `http://127-0-0-1.test:${port}/`],
])('a redirect to a denied host is refused: %s', async (_rule, location) => {
  const fetcher = guardedFetch(HostRules.of({ deny: [`127.0.0.1:${second.port}`] }), resolveLabel);
  const redirect = fetcher(`http://127.0.0.1:${first.port}/to?${location(second.port)}`);
  await expect(redirect).rejects.toThrow(`port ${second.port}`);
  expect(second.calls).toEqual([]);
});

test('a call tries only those of several addresses that the allow list has', async () => {
  const fetcher = guardedFetch(HostRules.of({ allow: ['127.0.0.1'] }), resolveLabel);
  expect(await textOf(fetcher, `http://127-0-0-9_127-0-0-1.test:${first.port}/`)).toBe('first');
});

test('a call waits for its answer for longer than five minutes, and for the rest of the answer too', async () => {
  const { tick }: { tick: (milliseconds: number) => void } = require('undici/lib/util/timers');
  // A timer of undici begins at the first tick after it was set.
  const passTenMinutes = () => {
    tick(0);
    tick(600_000);
  };
  let held: ServerResponse | undefined;
  const server = await startWebServer((_request, response) => void (held = response));
  servers.push(server);
  const called = guardedFetch(HostRules.of(), resolveLabel)(`${server.url}/`);
  const response = await waitUntil('the request has arrived', () => held);
  passTenMinutes();
  response.write('la');
  const answer = await called;
  passTenMinutes();
  response.end('te');
  expect(await answer.text()).toBe('late');
});
