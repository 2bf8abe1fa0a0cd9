import type { HelloFrame } from '@batuta/agent-protocol';
import { AgentPrivateKey } from '@batuta/secrets';
import { TestAgent } from '../../test/test-agent';
import { waitUntilTrue } from '../../test/until';
import { RouterWorld, type TestEnvironment } from '../../test/world';
import type { RunningRouter } from '../app';
import { SessionRepository } from '../sessions/session.repository';

let world: RouterWorld;
let router: RunningRouter;
let environment: TestEnvironment;

beforeAll(async () => {
  world = await RouterWorld.create();
  world.fake.claimsWait = true;
  router = await world.startRouter({ POLL_MS: 30_000 });
});

beforeEach(async () => {
  environment = await world.addEnvironment();
});

afterAll(() => world?.close());

const joinAgent = (hello: Partial<HelloFrame>) => TestAgent.join(router.url, environment.key, hello);

const queueInstance = (instanceID: string, ...needs: string[]) =>
  world.fake.queue(environment.environmentID, instanceID, false, {}, needs);

/** The abilities that the router sent with each long poll of the environment. */
const claimedAbilities = () =>
  world.fake.calls.flatMap(({ call, request }) => {
    const { environmentID, abilities } = Object(request);
    return call === 'claim' && environmentID === environment.environmentID ? [abilities] : [];
  });

test.each([
  ['that it announced', { abilities: ['wait', 'browser', 'wait'] }, ['browser', 'wait']],
  ['of an older release when it announced none', {}, ['rest', 'script', 'variables', 'wait', 'webhookResponse']],
])('the claim and the session of an agent have the abilities %s', async (_, hello, abilities) => {
  const { sessionID } = await joinAgent(hello);
  await waitUntilTrue(() => claimedAbilities().length > 0, 'the claim');
  expect(claimedAbilities()[0]).toEqual(abilities);
  const row = await world.store.row('SELECT abilities FROM agent_session WHERE session_id = ?', [sessionID]);
  expect(row).toEqual({ abilities: JSON.stringify(abilities) });
});

test('a long poll for an agent that cannot run the queued instances does not keep them from an agent that can', async () => {
  const { agent: lesser } = await joinAgent({ capacity: 10, abilities: ['script'] });
  await waitUntilTrue(() => claimedAbilities().length === 1, 'the claim of the lesser agent');
  const { agent: able } = await joinAgent({ capacity: 1, abilities: ['browser', 'script'] });
  await waitUntilTrue(() => claimedAbilities().length === 2, 'the claim of the able agent');
  queueInstance('for-the-able', 'browser');
  expect(await able.acceptOffer()).toMatchObject({ instanceID: 'for-the-able' });
  queueInstance('for-any', 'script');
  expect(await lesser.takeFrame('offer')).toMatchObject({ instanceID: 'for-any' });
  expect(lesser.has('offer')).toBe(false);
});

test('a claim carries the public key of its agent, and the offer carries the sealed values', async () => {
  const { publicKey } = AgentPrivateKey.generate();
  const { agent, sessionID } = await joinAgent({ publicKey: publicKey.toString() });
  await waitUntilTrue(() => claimedAbilities().length === 1, 'the claim');
  const requests = world.fake.calls.map(({ request }) => Object(request));
  expect(requests.filter((request) => request.sessionID === sessionID)).toMatchObject([
    { publicKey: publicKey.toString() },
  ]);
  world.fake.queue(environment.environmentID, 'with-secrets', false, { sealed: 'Ym94' });
  expect(await agent.takeFrame('offer')).toMatchObject({ instanceID: 'with-secrets', sealed: 'Ym94' });
});

test('the session of an agent has the fingerprint of its key, and the fingerprint of its previous session can be read', async () => {
  const [first, second] = [AgentPrivateKey.generate(), AgentPrivateKey.generate()].map(({ publicKey }) => publicKey);
  const rows = new SessionRepository(world.store, { LEASE_SECONDS: 60 });
  const earlierThan = (id: string, agent: string) => {
    const { environmentID } = environment;
    return rows.findEarlierFingerprint({ id, environmentID, agent });
  };
  const { sessionID } = await joinAgent({ agent: 'till-3', publicKey: first?.toString() });
  expect(await earlierThan(sessionID, 'till-3')).toBeUndefined();
  const { sessionID: next } = await joinAgent({ agent: 'till-3', publicKey: second?.toString() });
  const row = await world.store.row('SELECT key_fingerprint FROM agent_session WHERE session_id = ?', [next]);
  expect(row).toEqual({ key_fingerprint: second?.fingerprint });
  expect(await earlierThan(next, 'till-3')).toBe(first?.fingerprint);
  for (const other of ['till-4', 'TILL-3', 'tíll-3', 'till-3 ']) expect(await earlierThan(next, other)).toBeUndefined();
});

test('agents with equal abilities share one claim', async () => {
  await joinAgent({ abilities: ['script', 'wait'] });
  await waitUntilTrue(() => claimedAbilities().length === 1, 'the claim');
  await joinAgent({ abilities: ['wait', 'script'] });
  // The join of the second agent ends the running claim, so that the next claim is made for both.
  await waitUntilTrue(() => claimedAbilities().length === 2, 'the next claim');
  expect(world.fake.queueEvents.listenerCount(environment.environmentID)).toBeLessThanOrEqual(1);
});
