import { once } from 'node:events';
import { createServer } from 'node:net';
import { hostAccess } from './host-access';
import { agentHostRules } from './agent-host-rules';

const loopbackDenied = hostAccess(agentHostRules({ deny: ['127.0.0.0/8', '::1'] }));

test.each(['127.0.0.1', 'localhost', '127.1', '0.0.0.0'])(
  'a driver gets no address of the denied host %s',
  async (host) => {
    await expect(loopbackDenied.addressOf(host, 3306)).rejects.toThrow(/port 3306.*BATUTA_AGENT_DENY_HOSTS/);
  },
);

test('a driver gets an address instead of a permitted name', async () => {
  expect(await hostAccess(agentHostRules({ allow: ['127.0.0.1'] })).addressOf('localhost', 25)).toBe('127.0.0.1');
});

test('a name without an address is refused with the reason', async () => {
  await expect(loopbackDenied.addressOf('no-such-host.invalid', 25)).rejects.toThrow(
    /no-such-host\.invalid" has no address/,
  );
});

test('a name outside of the allow list is refused by the setting and not resolved, so that it carries no value out', async () => {
  const access = hostAccess(agentHostRules({ allow: ['erp.example.com'] }));
  await expect(access.addressOf('no-such-host.invalid', 25)).rejects.toThrow(/BATUTA_AGENT_ALLOW_HOSTS/);
  expect(() => access.openSocket('no-such-host.invalid', 25)).toThrow(/BATUTA_AGENT_ALLOW_HOSTS/);
});

test('a socket to a denied name is destroyed with the refusal, and one to a denied address is not made', async () => {
  const [error] = await once(loopbackDenied.openSocket('localhost', 3306), 'error').catch((refusal: unknown) => [
    refusal,
  ]);
  expect(String(error)).toMatch(/BATUTA_AGENT_DENY_HOSTS/);
  expect(() => loopbackDenied.openSocket('127.0.0.1', 3306)).toThrow(/BATUTA_AGENT_DENY_HOSTS/);
});

test('a socket to a permitted host connects', async () => {
  const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const [data] = await once(hostAccess(agentHostRules()).openSocket('localhost', port), 'data');
  expect(String(data)).toBe('hello');
  server.close();
});
