import { once } from 'node:events';
import { createServer } from 'node:net';
import { listenOnFreePort } from '../../../../test/support/web-server';
import { hostAccess } from './host-access';
import { agentHostRules } from './agent-host-rules';

const loopbackDenied = hostAccess(agentHostRules({ deny: ['127.0.0.0/8', '::1'] }));

test('a name outside of the allow list is refused by the setting and not resolved, so that it carries no value out', () => {
  const access = hostAccess(agentHostRules({ allow: ['erp.example.com'] }));
  expect(() => access.openSocket('no-such-host.invalid', 25)).toThrow(/BATUTA_AGENT_ALLOW_HOSTS/);
});

test('a socket to a denied name is destroyed with the refusal', async () => {
  const [error] = await once(loopbackDenied.openSocket('localhost', 3306), 'error');
  expect(String(error)).toMatch(/port 3306.*BATUTA_AGENT_DENY_HOSTS/);
});

test.each(['127.0.0.1', '127.1', '0.0.0.0'])('a socket to the denied address %s is not made', (host) => {
  expect(() => loopbackDenied.openSocket(host, 3306)).toThrow(/port 3306.*BATUTA_AGENT_DENY_HOSTS/);
});

test('a socket to a permitted host connects', async () => {
  const server = createServer((socket) => socket.end('hello'));
  const port = await listenOnFreePort(server);
  const [data] = await once(hostAccess(agentHostRules()).openSocket('localhost', port), 'data');
  expect(String(data)).toBe('hello');
  server.close();
});
