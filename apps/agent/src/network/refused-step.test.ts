import { AgentWorld } from '../../test/agent-world';
import { offerOf } from '../../test/fake-router';

let world: AgentWorld;
beforeAll(async () => {
  world = await AgentWorld.create();
});
afterAll(() => world.close());

test.each<[string, NodeJS.ProcessEnv, string, RegExp]>([
  ['a metadata service', {}, 'http://2852039166/latest', /169\.254\.169\.254, port 80: .*BATUTA_AGENT_ALLOW_HOSTS/],
  [
    'a denied host',
    { BATUTA_AGENT_DENY_HOSTS: 'localhost:8899, 10.0.0.0/8' },
    'http://localhost:8899/',
    /localhost, port 8899: .*BATUTA_AGENT_DENY_HOSTS/,
  ],
  [
    'a host outside the allow list',
    { BATUTA_AGENT_ALLOW_HOSTS: '*.example.com' },
    'http://127.0.0.1:8899/',
    /127\.0\.0\.1, port 8899: .*BATUTA_AGENT_ALLOW_HOSTS/,
  ],
])('a step that calls %s fails at its first attempt and says which setting decides', async (_rule, env, url, why) => {
  const agent = await world.startAgent(env);
  const { session } = await world.nextHello();
  session.welcome();
  await session.startInstance(offerOf([{ name: 'call', type: 'rest', method: 'GET', url, retries: 3, as: 'answer' }]));
  const { end, messages } = await session.acknowledgeUntilEnd();
  expect(end).toMatchObject({ outcome: 'ERROR', errorStep: 'call' });
  expect(end.errorMessage).toMatch(why);
  expect(messages.join('\n')).not.toContain('attempt');
  await agent.close();
});

test('a database step connects to no refused host', async () => {
  const agent = await world.startAgent({ BATUTA_AGENT_DENY_HOSTS: 'localhost' });
  const { session } = await world.nextHello();
  session.welcome();
  const query = {
    name: 'query',
    type: 'database' as const,
    connection: 'mysql://u:p@localhost:8899/d',
    sql: 'SELECT 1',
  };
  await session.startInstance(offerOf([query]));
  const { end } = await session.acknowledgeUntilEnd();
  expect(end.errorMessage).toMatch(/localhost, port 8899: .*BATUTA_AGENT_DENY_HOSTS/);
  await agent.close();
});
