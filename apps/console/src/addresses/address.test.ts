import { createWorld, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

test('every account reads the addresses of the gateway and of the router, and the image of the agent', async () => {
  const member = await world.addPerson({ role: 'member' });
  expect(await member.must('GET', '/addresses')).toEqual({
    gatewayURL: 'https://api.example.com/batuta',
    routerURL: 'https://router.example.com',
    agentImage: 'registry.example.com/batuta-agent:1',
  });
  expect(await world.operator.must('GET', '/addresses')).toMatchObject({ routerURL: 'https://router.example.com' });
});
