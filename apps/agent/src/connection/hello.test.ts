import { ABILITY_WEBHOOK_RESPONSE, REFUSAL_CLOSE_CODES } from '@batuta/agent-protocol';
import manifest from '../../../../package.json';
import { AGENT_VERSION } from '../version';
import { AgentWorld } from '../../test/agent-world';

let world: AgentWorld;
beforeEach(async () => {
  world = await AgentWorld.create();
});
afterEach(() => world.close());

describe('connection', () => {
  test('an agent that connects sends its key, its name, its capacity and its abilities', async () => {
    await world.startAgent({ BATUTA_AGENT_NAME: 'Till 3' });
    const session = await world.router.nextSession();
    expect(session.headers.authorization).toBe('Bearer activation-key');
    const hello = await session.next('hello');
    expect(hello).toMatchObject({ protocol: 1, agent: 'Till 3', capacity: 2 });
    expect(hello.abilities).toContain(ABILITY_WEBHOOK_RESPONSE);
    expect(hello.resume).toBeUndefined();
  });

  test('an agent that connects is ready at the first welcome', async () => {
    const agent = await world.startAgent();
    (await world.router.nextSession()).welcome();
    await expect(agent.ready).resolves.toBeUndefined();
  });

  test.each([401, 403, 404])(
    'an agent that connects ends when its first upgrade is answered with %i',
    async (status) => {
      world.router.refuseWith = status;
      const agent = await world.startAgent();
      await expect(agent.ready).rejects.toMatchObject({ name: 'RefusedError' });
    },
  );

  test.each(Object.values(REFUSAL_CLOSE_CODES))(
    'an agent that connects ends when its first connection is closed with %i',
    async (code) => {
      const agent = await world.startAgent();
      (await world.router.nextSession()).socket.close(code);
      await expect(agent.ready).rejects.toMatchObject({ name: 'RefusedError' });
    },
  );

  test('an agent connects again after a refusal if it was welcomed before', async () => {
    const session = await world.startSession();
    world.router.refuseWith = 401;
    const refusal = world.router.nextRefusal();
    session.socket.close(REFUSAL_CLOSE_CODES.badKey);
    await refusal;
    world.router.refuseWith = undefined;
    expect((await world.nextHello()).hello.resume).toEqual({ sessionID: 's-1', held: [] });
  });

  test('an agent connects again while the router is unavailable', async () => {
    world.router.refuseWith = 503;
    const refusal = world.router.nextRefusal();
    const agent = await world.startAgent();
    await refusal;
    world.router.refuseWith = undefined;
    (await world.router.nextSession()).welcome();
    await expect(agent.ready).resolves.toBeUndefined();
  });
});

test.each([
  ['off', false],
  [process.execPath, true],
])('with the browser %s the ability for browser steps is announced: %s', async (program, announced) => {
  await world.startAgent({ BATUTA_AGENT_BROWSER: program });
  const { abilities } = await (await world.router.nextSession()).next('hello');
  expect(abilities?.includes('browser')).toBe(announced);
});

test('the agent’s version is the version of the release', () => {
  expect(AGENT_VERSION).toBe(manifest.version);
});
