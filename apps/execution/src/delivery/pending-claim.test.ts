import { execution, notifications, type InstanceWork } from '@batuta/contracts';
import { RawJson, stringifyWithRaw } from '@batuta/json';
import { KeyRing } from '@batuta/secrets';
import { waitUntil } from '../../../../test/support/wait-until';
import {
  claim,
  claimInParts,
  createProcessWithAgent,
  idsOf,
  startPendingClaim,
  countQueuedIn,
  start,
  untilClaimWaits,
} from '../../test/claims';
import { connectAgent, startRequest, startWorld, type ExecutionWorld } from '../../test/world';
import { EmptyQueueCache } from '../claims/empty-queue-cache';
import { FlowCache } from '../flows/flow-cache';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

describe('pending claims', () => {
  test('a claim that is answered in parts gets one start after the other until it reaches its limit', async () => {
    const at = await createProcessWithAgent(world);
    const parts: InstanceWork[] = [];
    const last = claimInParts(world, at, parts, 3);
    await untilClaimWaits(at);
    const requests = [startRequest(at), startRequest(at), startRequest(at), startRequest(at)];
    for (const [index, request] of requests.slice(0, 2).entries()) {
      await start(world, request);
      await waitUntil('the part arrives', () => parts.length === index + 1);
    }
    for (const request of requests.slice(2)) await start(world, request);
    expect(idsOf([...parts, ...(await last).work])).toEqual(idsOf(requests.slice(0, 3)));
    expect(await countQueuedIn(world, at)).toBe(1);
    expect(idsOf(await claim(world, at))).toEqual(idsOf(requests.slice(3)));
  });

  test('a claim that waits ends when its session releases an instance, which goes to the claim of another session', async () => {
    const at = await createProcessWithAgent(world);
    const other = await connectAgent(world.store, at.environmentID);
    const [parts, partsOfOther]: [InstanceWork[], InstanceWork[]] = [[], []];
    const last = claimInParts(world, at, parts);
    await untilClaimWaits(at);
    await start(world, startRequest(at));
    await waitUntil('the start arrives', () => parts.length === 1);
    void claimInParts(world, { ...at, sessionID: other }, partsOfOther).catch(() => undefined);
    await world.rpc.call(execution.release, { sessionID: at.sessionID, instances: parts });
    expect(await last).toEqual({ work: [] });
    await waitUntil('the other session has the instance', () => partsOfOther.length === 1);
    expect(partsOfOther).toMatchObject([{ instanceID: parts[0]?.instanceID, fence: 2 }]);
  });

  test('a claim that waits ends when an instance is requeued during a hand-over, so that the next claim finds that instance', async () => {
    const onWork = jest.spyOn(EmptyQueueCache.prototype, 'onWork');
    const at = await createProcessWithAgent(world);
    await start(world, startRequest(at));
    const otherSession = await connectAgent(world.store, at.environmentID);
    const [released] = await claim(world, { ...at, sessionID: otherSession }, 1);
    const parts: InstanceWork[] = [];
    const last = claimInParts(world, at, parts);
    await untilClaimWaits(at);
    const request = startRequest(at);
    const load = Reflect.get(FlowCache.prototype, 'load');
    const releaseDuringHandOver = async () => {
      const instances = released ? [released] : [];
      await world.rpc.call(execution.release, { sessionID: otherSession, instances });
      await waitUntil('the notification', () => onWork.mock.calls.some(([id]) => id === at.environmentID));
    };
    jest.spyOn(FlowCache.prototype, 'load').mockImplementationOnce(async function held(this: FlowCache, ...args) {
      await releaseDuringHandOver();
      return Reflect.apply(load, this, args);
    });
    onWork.mockClear();
    await start(world, request);
    expect(await last).toEqual({ work: [] });
    expect(idsOf(parts)).toEqual([request.instanceID]);
    expect(await claim(world, at)).toMatchObject([{ instanceID: released?.instanceID, fence: 2 }]);
  });

  test('a claim that waits ends when another session adopts the instances of its session', async () => {
    const at = await createProcessWithAgent(world);
    const next = await connectAgent(world.store, at.environmentID);
    const last = claimInParts(world, at, []);
    await untilClaimWaits(at);
    await world.rpc.call(execution.adopt, { sessionID: next, previousSessionID: at.sessionID, held: [] });
    expect(await last).toEqual({ work: [] });
  });

  test('a claim that waits gets a start of another replica through the notification', async () => {
    const at = await createProcessWithAgent(world);
    const { reply } = await startPendingClaim(world, at);
    // Instances of another replica: this replica sees only their rows and the notification.
    const { instanceID } = startRequest(at);
    await world.store.transaction(async (tx) => {
      await tx.write(
        `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, environment_id, version_id,
         version, trigger_kind, user_name, executor, request_id, status, accepted_as, accepted_at)
       VALUES (?, ?, 'P', ?, ?, ?, ?, 1, 'api', 'erp', 'key', '', 'queued', 'started', UTC_TIMESTAMP(3))`,
        [instanceID, at.processID, at.ownerID, at.companyID, at.environmentID, at.versionID],
      );
      const sealed = new KeyRing(world.env['SECRET_KEYS'] ?? '').seal('[]', `instance:${instanceID}`);
      await tx.write('INSERT INTO instance_input (instance_id, sealed) VALUES (?, ?)', [instanceID, sealed]);
    });
    world.rpc.notify(notifications.work, { environmentID: at.environmentID });
    expect(idsOf(await reply)).toEqual([instanceID]);
  });

  test('a claim that waits is answered without work at the end of its wait', async () => {
    const at = await createProcessWithAgent(world);
    expect(await claim(world, at, 5, 50)).toEqual([]);
  });
});

describe.each([
  ['of this release', true],
  ['of the previous release, which knows no texts in place of values', false],
])('large values for a router %s', (_, raw) => {
  const variables = ['Lista', 'Objeto', 'Texto', 'Lista', 'Lista'].map((type, n) => ({ name: `v${n}`, type }));
  const list = Array.from({ length: 30_000 }, (__, n) => (n % 2 ? {} : { n: 'ação "', '': [null] }));
  const text = JSON.stringify(list);

  test.each([
    [
      'text',
      {
        v0: new RawJson(text),
        v1: new RawJson(`{"a":${text}}`),
        v2: new RawJson(text),
        v3: new RawJson(JSON.stringify(text)),
      },
    ],
    ['values, by a gateway of the previous release', { v0: list, v1: { a: list }, v2: list, v3: text }],
  ])(
    'a router gets lists and objects unchanged that are sent as %s, with their acceptance and from the queue',
    async (__, matrix) => {
      const at = await createProcessWithAgent(world, {
        matrix: [...variables, { name: 'v5', type: 'Lista', default: list.slice(0, 50) }],
      });
      const request = { ...at, limit: 1, waitMilliseconds: 60_000 };
      const claimed = async () => {
        const { environmentID, sessionID, limit, waitMilliseconds } = request;
        const sent = { environmentID, sessionID, limit, waitMilliseconds };
        const { work } = await world.rpc.call(execution.claim, sent, { timeout: 120_000, raw });
        return work;
      };
      const waiting = claimed();
      await untilClaimWaits(at);
      await world.rpc.call(execution.start, startRequest(at, { matrix }), { tenant: at.companyID });
      await world.rpc.call(execution.start, startRequest(at, { matrix }), { tenant: `${at.companyID} 2` });
      const values = [list, { a: list }, text, list, [], list.slice(0, 50)];
      for (const work of [await waiting, await claimed()]) {
        expect(work[0]?.matrix instanceof RawJson).toBe(raw);
        const sent: InstanceWork['matrix'] = JSON.parse(stringifyWithRaw(work[0]?.matrix).json);
        expect(sent.map(({ value }) => value)).toEqual(values);
      }
    },
  );
});
