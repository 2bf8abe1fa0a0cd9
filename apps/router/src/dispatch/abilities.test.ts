import { TestAgent } from '../../test/test-agent';
import { until } from '../../test/until';
import { World, type TestEnvironment } from '../../test/world';
import type { Router } from '../app';

let world: World;
let router: Router;
let environment: TestEnvironment;

beforeAll(async () => {
  world = await World.create();
  world.fake.claimsWait = true;
  router = await world.router({ POLL_MS: 30_000 });
});

beforeEach(async () => {
  environment = await world.environment();
});

afterAll(() => world?.close());

const join = (hello: { capacity?: number; abilities?: string[] }) => TestAgent.join(router.url, environment.key, hello);

const queue = (instanceID: string, ...needs: string[]) =>
  world.fake.queue(environment.environmentID, instanceID, false, {}, needs);

/** The abilities of the long polls of the environment. */
const claimed = () =>
  world.fake.calls.flatMap(({ call, request }) => {
    const { environmentID, abilities } = Object(request);
    return call === 'claim' && environmentID === environment.environmentID ? [abilities] : [];
  });

test.each([
  ['that it announced', { abilities: ['wait', 'browser', 'wait'] }, ['browser', 'wait']],
  ['of an older release when it announced none', {}, ['rest', 'script', 'variables', 'wait', 'webhookResponse']],
])('the claim and the session of an agent have the abilities %s', async (_, hello, abilities) => {
  const { sessionID } = await join(hello);
  await until(() => claimed().length > 0, 'the claim');
  expect(claimed()[0]).toEqual(abilities);
  const row = await world.store.row('SELECT abilities FROM agent_session WHERE session_id = ?', [sessionID]);
  expect(row).toEqual({ abilities: JSON.stringify(abilities) });
});

test('a long poll for an agent that cannot run what is queued does not keep it from one that can', async () => {
  const { agent: lesser } = await join({ capacity: 10, abilities: ['script'] });
  await until(() => claimed().length === 1, 'the claim of the lesser agent');
  const { agent: able } = await join({ capacity: 1, abilities: ['browser', 'script'] });
  await until(() => claimed().length === 2, 'the claim of the able agent');
  queue('for-the-able', 'browser');
  expect(await able.run()).toMatchObject({ instanceID: 'for-the-able' });
  queue('for-any', 'script');
  expect(await lesser.next('offer')).toMatchObject({ instanceID: 'for-any' });
  expect(lesser.has('offer')).toBe(false);
});

test('agents with equal abilities share one claim', async () => {
  await join({ abilities: ['script', 'wait'] });
  await until(() => claimed().length === 1, 'the claim');
  await join({ abilities: ['wait', 'script'] });
  // The second agent ends the claim of the first, so that the next one shares.
  await until(() => claimed().length === 2, 'the next claim');
  expect(world.fake.queueEvents.listenerCount(environment.environmentID)).toBeLessThanOrEqual(1);
});
