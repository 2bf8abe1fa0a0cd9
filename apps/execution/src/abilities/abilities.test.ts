import { execution, type InstanceWork } from '@batuta/contracts';
import { waitUntil } from '../../../../test/support/wait-until';
import {
  claimInParts,
  createProcessWithAgent,
  idsOf,
  startPendingClaim,
  start,
  untilClaimWaits,
  type ProcessWithAgent,
} from '../../test/claims';
import { viewerOf } from '../../test/instances';
import {
  connectAgent,
  creditsOf,
  startRequest,
  startWorld,
  type TestProcess,
  type ExecutionWorld,
} from '../../test/world';
import { v7 as uuid } from 'uuid';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld(2);
});
afterAll(() => world?.close());

const flowOf = (...types: string[]) =>
  JSON.stringify({ start: 's0', steps: types.map((type, index) => ({ name: `s${index}`, ...STEP_OF_ABILITY[type] })) });
const STEP_OF_ABILITY: Record<string, object> = {
  script: { type: 'script', code: 'return 1' },
  wait: { type: 'wait', seconds: 1 },
  rest: { type: 'rest', method: 'GET', url: 'http://x' },
  webhookResponse: { type: 'webhookResponse', body: '{}' },
};

let published = 1;

/** Publishes another version of the process. Instances that were accepted before keep their version. */
async function setVersionNeeds({ processID, versionID }: TestProcess, needs: string | null) {
  const next = uuid();
  published += 1;
  await world.store.write(
    `INSERT INTO process_version (version_id, process_id, version, flow, mappings, published_by, published_at, needs)
     SELECT ?, process_id, ?, ?, mappings, published_by, published_at, ? FROM process_version WHERE version_id = ?`,
    [next, published, flowOf('script'), needs, versionID],
  );
  await world.store.write('UPDATE process SET published_version_id = ?, current_version = 2 WHERE process_id = ?', [
    next,
    processID,
  ]);
}

const claim = (at: ProcessWithAgent, abilities: string[] | undefined, limit = 5): Promise<InstanceWork[]> =>
  world.rpc
    .call(execution.claim, {
      environmentID: at.environmentID,
      sessionID: at.sessionID,
      limit,
      abilities,
      waitMilliseconds: 0,
    })
    .then(({ work }) => work);

const queueOf = async (at: TestProcess, instanceID: string) => {
  const body = await world.rpc.call(execution.instance, { instanceID, viewer: viewerOf(at) });
  return 'queue' in body ? body.queue : undefined;
};

const needsOf = async (instanceID: string) =>
  (await world.store.row<{ needs: string | null }>('SELECT needs FROM instance WHERE instance_id = ?', [instanceID]))
    ?.needs;

/** Queues starts of a version that needs `first`, and after them starts of a version that needs `second`. */
async function makeMixedQueue(first: string, second: string, each = 2) {
  const at = await createProcessWithAgent(world, { needs: first });
  const [older, newer] = [[], []].map(() => Array.from({ length: each }, () => startRequest(at)));
  for (const request of older ?? []) await start(world, request);
  await setVersionNeeds(at, second);
  for (const request of newer ?? []) await start(world, request);
  return { at, older: idsOf(older ?? []), newer: idsOf(newer ?? []) };
}

describe('claims', () => {
  test('a claim takes only instances that its agent can run, also when older ones that it cannot run are ahead of them in the queue', async () => {
    const { at, older, newer } = await makeMixedQueue('browser,script', 'script');
    expect(idsOf(await claim(at, ['script']))).toEqual(newer);
    expect(await claim(at, ['script'])).toEqual([]);
    expect(idsOf(await claim(at, ['script', 'browser', 'rest']))).toEqual(older);
  });

  test('a claim takes the oldest first, whatever they need', async () => {
    const { at, older, newer } = await makeMixedQueue('rest', 'script', 3);
    await setVersionNeeds(at, 'browser');
    const last = startRequest(at);
    await start(world, last);
    const taken: string[] = [];
    for (const limit of [2, 2, 50]) taken.push(...idsOf(await claim(at, ['rest', 'script'], limit)));
    expect(taken).toEqual([...older, ...newer]);
    expect(await queueOf(at, last.instanceID)).toMatchObject({ position: 1 });
  });

  test('a claim of a router of the previous release takes the instances that agents of that release can run', async () => {
    const { at, older, newer } = await makeMixedQueue('browser', 'rest,script,variables,wait');
    expect(idsOf(await claim(at, undefined))).toEqual(newer);
    expect(idsOf(await claim(at, ['browser']))).toEqual(older);
  });

  test('a claim finds in the flow which abilities a version of the previous release needs', async () => {
    const at = await createProcessWithAgent(world, { flow: flowOf('script', 'wait', 'webhookResponse') });
    const request = startRequest(at);
    await start(world, request);
    expect(await needsOf(request.instanceID)).toBe('script,wait');
    expect(await claim(at, ['script'])).toEqual([]);
    expect(idsOf(await claim(at, ['script', 'wait']))).toEqual([request.instanceID]);
  });

  test('a claim skips an instance that the previous release accepted and its agent cannot run, and records the abilities that the instance needs', async () => {
    const at = await createProcessWithAgent(world, { flow: flowOf('script', 'wait') });
    const requests = Array.from({ length: 4 }, () => startRequest(at));
    for (const request of requests) await start(world, request);
    await world.store.write('UPDATE instance SET needs = NULL WHERE process_id = ?', [at.processID]);
    expect(await claim(at, ['script'], 1)).toEqual([]);
    expect(await needsOf(requests[0]?.instanceID ?? '')).toBe('script,wait');
    expect(idsOf(await claim(at, ['script', 'wait']))).toEqual(idsOf(requests));
  });
});

describe('pending claims', () => {
  test('a claim that waits gets only starts that its agent can run, and the other starts go to the claim of an agent that can run them', async () => {
    const at = await createProcessWithAgent(world, { needs: 'script' });
    const able = {
      ...at,
      sessionID: await connectAgent(world.store, at.environmentID, 3_600, ['browser', 'script']),
    };
    const lesserWork: InstanceWork[] = [];
    const ableWork: InstanceWork[] = [];
    // The reply that ends a claim carries the last part of its work. Like a router, `receive` claims again after a reply without work.
    const receive = async (claimer: ProcessWithAgent, received: InstanceWork[], limit: number, abilities: string[]) => {
      do {
        const { work } = await claimInParts(world, claimer, received, limit, abilities);
        received.push(...work);
      } while (received.length === 0);
    };
    receive(at, lesserWork, 1, ['script']).catch(() => undefined);
    receive(able, ableWork, 5, ['browser', 'script']).catch(() => undefined);
    await untilClaimWaits(at, 2);
    await setVersionNeeds(at, 'browser');
    const needy = startRequest(at);
    await start(world, needy);
    await waitUntil('the start arrives', () => ableWork.length === 1);
    expect([idsOf(ableWork), lesserWork]).toEqual([[needy.instanceID], []]);
    await setVersionNeeds(at, 'script');
    const plain = startRequest(at);
    await start(world, plain);
    await waitUntil('the second start arrives', () => idsOf([...lesserWork, ...ableWork]).includes(plain.instanceID));
  });
});

describe('missing abilities', () => {
  test('a start that no connected agent can run is queued with the reason, and runs once an agent that can run it connects', async () => {
    const at = await createProcessWithAgent(world, { needs: 'browser,email,script' });
    const waiting = await startPendingClaim(world, at);
    const request = startRequest(at);
    expect(await start(world, request)).toEqual({ instanceID: request.instanceID, status: 'queued' });
    expect(await queueOf(at, request.instanceID)).toEqual({
      position: 1,
      reason: 'ABILITY_MISSING',
      message: 'No connected agent of the environment "Plant" runs browser and email steps.',
    });
    const abilities = ['browser', 'email', 'script'];
    const sessionID = await connectAgent(world.store, at.environmentID, 3_600, abilities);
    expect(await queueOf(at, request.instanceID)).toEqual({ position: 1, reason: 'AGENT_BUSY' });
    expect(idsOf(await claim({ ...at, sessionID }, abilities))).toEqual([request.instanceID]);
    await setVersionNeeds(at, 'script');
    await start(world, startRequest(at));
    await waiting.reply;
  });

  test('a start that no connected agent can run is refused without a charge where the environment keeps no queue', async () => {
    const at = await createProcessWithAgent(world, { needs: 'browser,script', offlineFlow: false, credits: 10 });
    await expect(start(world, startRequest(at))).rejects.toMatchObject({
      code: 'AGENT_OFFLINE',
      message: expect.stringContaining('No connected agent of the environment "Plant" runs browser steps'),
    });
    expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 10, ledger: 10 });
    await connectAgent(world.store, at.environmentID, 3_600, ['browser', 'script']);
    expect(await start(world, startRequest(at))).toMatchObject({ status: 'started' });
  });

  test('a start that no connected agent can run shows its refusal in a dry run', async () => {
    const at = await createProcessWithAgent(world, { needs: 'browser', offlineFlow: false });
    const { processID, ownerID } = at;
    const trigger = { kind: 'api' as const, accountID: ownerID, userName: 'erp', executor: 'key' };
    expect(await world.rpc.call(execution.dryRun, { processID, trigger })).toMatchObject({
      refusals: [{ code: 'AGENT_OFFLINE', message: expect.stringContaining('browser') }],
    });
  });
});

test('a queued instance keeps its version, so that a publication does not change what it needs', async () => {
  const at = await createProcessWithAgent(world, { needs: 'browser' });
  const request = startRequest(at);
  await start(world, request);
  await setVersionNeeds(at, 'script');
  expect(await claim(at, ['script'])).toEqual([]);
  expect(idsOf(await claim(at, ['browser']))).toEqual([request.instanceID]);
});

test('agents with different abilities, at two replicas, take each instance once and only what they can run', async () => {
  const at = await createProcessWithAgent(world, { needs: 'script', credits: 1_000 });
  const sent = new Map<string, string>();
  for (const needs of ['script', 'browser', 'rest']) {
    await setVersionNeeds(at, needs);
    const requests = Array.from({ length: 40 }, () => startRequest(at));
    for (const { instanceID } of requests) sent.set(instanceID, needs);
    await Promise.all(requests.map((request) => start(world, request)));
  }
  const taken: [string, string][] = [];
  const agent = async (abilities: string[]) => {
    while (taken.length < sent.size) {
      for (const { instanceID } of await claim(at, abilities, 3)) {
        expect(abilities).toContain(sent.get(instanceID));
        taken.push([instanceID, sent.get(instanceID) ?? '']);
      }
    }
  };
  await Promise.all([agent(['script', 'rest']), agent(['browser']), agent(['script', 'browser', 'rest'])]);
  expect(taken).toHaveLength(sent.size);
  expect(Object.fromEntries(taken)).toEqual(Object.fromEntries(sent));
});
