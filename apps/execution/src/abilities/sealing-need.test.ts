import { Abilities } from '@batuta/agent-protocol';
import { execution, type StartRequest, type InstanceWork } from '@batuta/contracts';
import { AgentPrivateKey } from '@batuta/secrets';
import { createProcessWithAgent, idsOf, startPendingClaim, start, type ProcessWithAgent } from '../../test/claims';
import { viewerOf } from '../../test/instances';
import {
  connectAgent,
  creditsOf,
  startRequest,
  startWorld,
  type ProcessOptions,
  type ExecutionWorld,
} from '../../test/world';

const publicKey = AgentPrivateKey.generate().publicKey.toString();
const FLOW_WITH_VAULT =
  '{"start":"a","steps":[{"name":"a","type":"rest","method":"GET","url":"http://x/{vault.TOKEN}"}]}';
const SECRET_MATRIX = [{ name: 'pin', type: 'Secreto' }];

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld(1, { REQUIRE_SEALED_VALUES: '1' });
});
afterAll(() => world?.close());

const claim = async (
  { environmentID, sessionID }: ProcessWithAgent,
  key?: string,
  abilities?: string[],
): Promise<InstanceWork[]> =>
  (await world.rpc.call(execution.claim, { environmentID, sessionID, limit: 5, publicKey: key, abilities })).work;

const connectAgentWithPublicKey = (environmentID: string) =>
  connectAgent(world.store, environmentID, 3_600, Abilities.announced(undefined, publicKey).list);

const SECRET_VALUES = { pin: 's3cret' };
const secretStarts: [string, ProcessOptions, Partial<StartRequest>][] = [
  ['a Secreto', { matrix: SECRET_MATRIX }, { matrix: SECRET_VALUES }],
  ['a vault value', { flow: FLOW_WITH_VAULT }, {}],
];

describe.each(secretStarts)('sealing is required: %s', (_, options, sent) => {
  test('an instance with secret values waits for an agent with a key, and says so', async () => {
    const at = await createProcessWithAgent(world, { ...options, offlineFlow: true });
    const request = startRequest(at, sent);
    expect(await start(world, request)).toMatchObject({ status: 'queued' });
    expect(await claim(at)).toEqual([]);
    const viewer = viewerOf(at);
    expect(await world.rpc.call(execution.instance, { instanceID: request.instanceID, viewer })).toMatchObject({
      queue: {
        reason: 'ABILITY_MISSING',
        message: 'No connected agent of the environment "Plant" has a key to which secret values are sealed.',
      },
    });
    const sessionID = await connectAgentWithPublicKey(at.environmentID);
    expect(idsOf(await claim({ ...at, sessionID }, publicKey))).toEqual([request.instanceID]);
  });

  test('an instance with secret values is refused without a charge where the environment keeps no queue', async () => {
    const at = await createProcessWithAgent(world, { ...options, offlineFlow: false, credits: 10 });
    const message = expect.stringContaining('has a key to which secret values are sealed, and it keeps no queue');
    await expect(start(world, startRequest(at, sent))).rejects.toMatchObject({ code: 'AGENT_OFFLINE', message });
    expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 10, ledger: 10 });
    const { processID, ownerID: accountID } = at;
    const trigger = { kind: 'api' as const, accountID, userName: 'erp', executor: 'key' };
    expect(await world.rpc.call(execution.dryRun, { ...sent, processID, trigger })).toMatchObject({
      refusals: [{ code: 'AGENT_OFFLINE', message }],
    });
  });

  test('an instance with secret values that was accepted before the setting was switched on stays in the queue for an agent with a key', async () => {
    const at = await createProcessWithAgent(world, options);
    const request = startRequest(at, sent);
    await start(world, request);
    for (const needs of [null, '']) {
      await world.store.write('UPDATE instance SET needs = ? WHERE instance_id = ?', [needs, request.instanceID]);
      expect(await claim(at)).toEqual([]);
      const row = 'SELECT needs FROM instance WHERE instance_id = ?';
      expect((await world.store.row<{ needs: string }>(row, [request.instanceID]))?.needs).toContain('sealedValues');
    }
    expect(idsOf(await claim(at, publicKey))).toEqual([request.instanceID]);
  });
});

test('a start with secret values is not handed over to the claim of an agent without a key, and the next start without secret values is', async () => {
  const at = await createProcessWithAgent(world, { matrix: SECRET_MATRIX });
  await connectAgentWithPublicKey(at.environmentID);
  const { reply } = await startPendingClaim(world, at);
  const [secret, plain] = [startRequest(at, { matrix: SECRET_VALUES }), startRequest(at)];
  await start(world, secret);
  await start(world, plain);
  expect(idsOf(await reply)).toEqual([plain.instanceID]);
  expect(idsOf(await claim(at, publicKey))).toEqual([secret.instanceID]);
});

test('an agent without a key does not get secret values by announcing the ability', async () => {
  const at = await createProcessWithAgent(world, { matrix: SECRET_MATRIX });
  await start(world, startRequest(at, { matrix: SECRET_VALUES }));
  expect(await claim(at, undefined, ['script', 'sealedValues'])).toEqual([]);
});

test('an instance without secret values needs no key', async () => {
  const at = await createProcessWithAgent(world, { matrix: SECRET_MATRIX });
  expect(await start(world, startRequest(at))).toMatchObject({ status: 'started' });
  expect(await claim(at)).toHaveLength(1);
});
