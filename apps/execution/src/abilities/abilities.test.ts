import { execution, type InstanceWork } from '@batuta/contracts';
import { waitUntil } from '../../../../test/support/wait-until';
import {
  claimInParts,
  createSite,
  idsOf,
  pendingClaim,
  start,
  untilClaimWaits,
  type SiteWithAgent,
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
async function setVersionNeeds({ processID, versionID }: TestProcess, needs: string | null, flow = flowOf('script')) {
  const next = uuid();
  published += 1;
  await world.store.write(
    `INSERT INTO process_version (version_id, process_id, version, flow, mappings, published_by, published_at, needs)
     SELECT ?, process_id, ?, ?, mappings, published_by, published_at, ? FROM process_version WHERE version_id = ?`,
    [next, published, flow, needs, versionID],
  );
  await world.store.write('UPDATE process SET published_version_id = ?, current_version = 2 WHERE process_id = ?', [
    next,
    processID,
  ]);
}

const claim = (
  site: SiteWithAgent,
  abilities: string[] | undefined,
  limit = 5,
  waitMilliseconds = 0,
): Promise<InstanceWork[]> =>
  world.rpc
    .call(execution.claim, {
      environmentID: site.environmentID,
      sessionID: site.sessionID,
      limit,
      abilities,
      waitMilliseconds,
    })
    .then(({ work }) => work);

const queueOf = async (site: TestProcess, instanceID: string) => {
  const body = await world.rpc.call(execution.instance, { instanceID, viewer: viewerOf(site) });
  return 'queue' in body ? body.queue : undefined;
};

const needsOf = async (instanceID: string) =>
  (await world.store.row<{ needs: string | null }>('SELECT needs FROM instance WHERE instance_id = ?', [instanceID]))
    ?.needs;

/** Queues starts of a version that needs `first`, and after them starts of a version that needs `second`. */
async function makeMixedQueue(first: string, second: string, each = 2) {
  const site = await createSite(world, { needs: first });
  const [older, newer] = [[], []].map(() => Array.from({ length: each }, () => startRequest(site)));
  for (const request of older ?? []) await start(world, request);
  await setVersionNeeds(site, second);
  for (const request of newer ?? []) await start(world, request);
  return { site, older: idsOf(older ?? []), newer: idsOf(newer ?? []) };
}

describe('claims', () => {
  test('a claim takes only instances that its agent can run, also when older ones that it cannot run are ahead of them in the queue', async () => {
    const { site, older, newer } = await makeMixedQueue('browser,script', 'script');
    expect(idsOf(await claim(site, ['script']))).toEqual(newer);
    expect(await claim(site, ['script'])).toEqual([]);
    expect(idsOf(await claim(site, ['script', 'browser', 'rest']))).toEqual(older);
  });

  test('a claim takes the oldest first, whatever they need', async () => {
    const { site, older, newer } = await makeMixedQueue('rest', 'script', 3);
    await setVersionNeeds(site, 'browser');
    const last = startRequest(site);
    await start(world, last);
    const taken: string[] = [];
    for (const limit of [2, 2, 50]) taken.push(...idsOf(await claim(site, ['rest', 'script'], limit)));
    expect(taken).toEqual([...older, ...newer]);
    expect(await queueOf(site, last.instanceID)).toMatchObject({ position: 1 });
  });

  test('a claim of a router of the previous release takes the instances that agents of that release can run', async () => {
    const { site, older, newer } = await makeMixedQueue('browser', 'rest,script,variables,wait');
    expect(idsOf(await claim(site, undefined))).toEqual(newer);
    expect(idsOf(await claim(site, ['browser']))).toEqual(older);
  });

  test('a claim finds in the flow which abilities a version of the previous release needs', async () => {
    const site = await createSite(world, { flow: flowOf('script', 'wait', 'webhookResponse') });
    const request = startRequest(site);
    await start(world, request);
    expect(await needsOf(request.instanceID)).toBe('script,wait');
    expect(await claim(site, ['script'])).toEqual([]);
    expect(idsOf(await claim(site, ['script', 'wait']))).toEqual([request.instanceID]);
  });

  test('a claim skips an instance that the previous release accepted and its agent cannot run, and records the abilities that the instance needs', async () => {
    const site = await createSite(world, { flow: flowOf('script', 'wait') });
    const requests = Array.from({ length: 4 }, () => startRequest(site));
    for (const request of requests) await start(world, request);
    await world.store.write('UPDATE instance SET needs = NULL WHERE process_id = ?', [site.processID]);
    expect(await claim(site, ['script'], 1)).toEqual([]);
    expect(await needsOf(requests[0]?.instanceID ?? '')).toBe('script,wait');
    expect(idsOf(await claim(site, ['script', 'wait']))).toEqual(idsOf(requests));
  });
});

describe('pending claims', () => {
  test('a claim that waits gets only starts that its agent can run, and the other starts go to the claim of an agent that can run them', async () => {
    const site = await createSite(world, { needs: 'script' });
    const able = {
      ...site,
      sessionID: await connectAgent(world.store, site.environmentID, 3_600, ['browser', 'script']),
    };
    const lesserWork: InstanceWork[] = [];
    const ableWork: InstanceWork[] = [];
    // The reply that ends a claim carries the last part of its work.
    const receive = async (at: SiteWithAgent, received: InstanceWork[], limit: number, abilities: string[]) => {
      const { work } = await claimInParts(world, at, received, limit, abilities);
      received.push(...work);
    };
    receive(site, lesserWork, 1, ['script']).catch(() => undefined);
    receive(able, ableWork, 5, ['browser', 'script']).catch(() => undefined);
    await untilClaimWaits(site, 2);
    await setVersionNeeds(site, 'browser');
    const needy = startRequest(site);
    await start(world, needy);
    await waitUntil('the start arrives', () => ableWork.length === 1);
    expect([idsOf(ableWork), lesserWork]).toEqual([[needy.instanceID], []]);
    await setVersionNeeds(site, 'script');
    const plain = startRequest(site);
    await start(world, plain);
    await waitUntil('the second start arrives', () => idsOf([...lesserWork, ...ableWork]).includes(plain.instanceID));
  });
});

describe('missing abilities', () => {
  test('a start that no connected agent can run is queued with the reason, and runs once an agent that can run it connects', async () => {
    const site = await createSite(world, { needs: 'browser,email,script' });
    const waiting = await pendingClaim(world, site);
    const request = startRequest(site);
    expect(await start(world, request)).toEqual({ instanceID: request.instanceID, status: 'queued' });
    expect(await queueOf(site, request.instanceID)).toEqual({
      position: 1,
      reason: 'ABILITY_MISSING',
      message: 'No connected agent of the environment "Plant" runs browser and email steps.',
    });
    const abilities = ['browser', 'email', 'script'];
    const sessionID = await connectAgent(world.store, site.environmentID, 3_600, abilities);
    expect(await queueOf(site, request.instanceID)).toEqual({ position: 1, reason: 'AGENT_BUSY' });
    expect(idsOf(await claim({ ...site, sessionID }, abilities))).toEqual([request.instanceID]);
    await setVersionNeeds(site, 'script');
    await start(world, startRequest(site));
    await waiting.reply;
  });

  test('a start that no connected agent can run is refused without a charge where the environment keeps no queue', async () => {
    const site = await createSite(world, { needs: 'browser,script', offlineFlow: false, credits: 10 });
    await expect(start(world, startRequest(site))).rejects.toMatchObject({
      code: 'AGENT_OFFLINE',
      message: expect.stringContaining('No connected agent of the environment "Plant" runs browser steps'),
    });
    expect(await creditsOf(world.store, site.companyID)).toEqual({ balance: 10, ledger: 10 });
    await connectAgent(world.store, site.environmentID, 3_600, ['browser', 'script']);
    expect(await start(world, startRequest(site))).toMatchObject({ status: 'started' });
  });

  test('a start that no connected agent can run shows its refusal in a dry run', async () => {
    const site = await createSite(world, { needs: 'browser', offlineFlow: false });
    const { processID, ownerID } = site;
    const trigger = { kind: 'api' as const, accountID: ownerID, userName: 'erp', executor: 'key' };
    expect(await world.rpc.call(execution.dryRun, { processID, trigger })).toMatchObject({
      refusals: [{ code: 'AGENT_OFFLINE', message: expect.stringContaining('browser') }],
    });
  });
});

test('a queued instance keeps its version, so that a publication does not change what it needs', async () => {
  const site = await createSite(world, { needs: 'browser' });
  const request = startRequest(site);
  await start(world, request);
  await setVersionNeeds(site, 'script');
  expect(await claim(site, ['script'])).toEqual([]);
  expect(idsOf(await claim(site, ['browser']))).toEqual([request.instanceID]);
});

test('agents with different abilities, at two replicas, take each instance once and only what they can run', async () => {
  const site = await createSite(world, { needs: 'script', credits: 1_000 });
  const sent = new Map<string, string>();
  for (const needs of ['script', 'browser', 'rest']) {
    await setVersionNeeds(site, needs);
    const requests = Array.from({ length: 40 }, () => startRequest(site));
    for (const { instanceID } of requests) sent.set(instanceID, needs);
    await Promise.all(requests.map((request) => start(world, request)));
  }
  const taken: [string, string][] = [];
  const agent = async (abilities: string[]) => {
    while (taken.length < sent.size) {
      for (const { instanceID } of await claim(site, abilities, 3)) {
        expect(abilities).toContain(sent.get(instanceID));
        taken.push([instanceID, sent.get(instanceID) ?? '']);
      }
    }
  };
  await Promise.all([agent(['script', 'rest']), agent(['browser']), agent(['script', 'browser', 'rest'])]);
  expect(taken).toHaveLength(sent.size);
  expect(Object.fromEntries(taken)).toEqual(Object.fromEntries(sent));
});
