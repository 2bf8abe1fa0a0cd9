import { execution, notifications, type StartRequest, type Work } from '@batuta/contracts';
import { KeyRing } from '@batuta/secrets';
import { randomBytes } from 'node:crypto';
import { holdTimers } from '../../../../test/support/held-timers';
import { waitUntil } from '../../../../test/support/wait-until';
import {
  connect,
  countOf,
  register,
  startRequest,
  startWorld,
  type Options,
  type Registered,
  type World,
} from '../../test/world';
import { FlowCache } from '../flows/flow-cache';
import { EmptyQueueCache } from '../claims/empty-queue-cache';
import { PendingClaims } from '../claims/pending-claims';

const waits = jest.spyOn(PendingClaims.prototype, 'wait');
const looks = jest.spyOn(EmptyQueueCache.prototype, 'record');
const looksAt = ({ environmentID }: Registered) => looks.mock.calls.filter(([of]) => of === environmentID).length;
const untilWaiting = ({ environmentID }: Registered) =>
  waitUntil('a claim waits', () => waits.mock.calls.some(([of]) => of === environmentID));

describe('a start while a claim waits', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.close());

  type Place = Registered & { sessionID: string };

  async function place(options?: Options): Promise<Place> {
    const at = await register(world.store, options);
    return { ...at, sessionID: await connect(world.store, at.environmentID) };
  }

  async function claimed({ environmentID, sessionID }: Place, limit = 5, waitMilliseconds = 60_000): Promise<Work[]> {
    const claim = { environmentID, sessionID, limit, waitMilliseconds };
    return (await world.rpc.call(execution.claim, claim, { timeout: 2 * waitMilliseconds })).work;
  }

  /** A claim that found the queue empty. Made again, as routers do, when it comes back with nothing before its time. */
  async function waiting(at: Place, limit = 5): Promise<{ claim: Promise<Work[]> }> {
    const brought = async () => {
      let work = await claimed(at, limit);
      while (work.length === 0) work = await claimed(at, limit);
      return work;
    };
    const claim = brought();
    await untilWaiting(at);
    return { claim };
  }

  const start = (request: StartRequest) => world.rpc.call(execution.start, request);
  const stateOf = (instanceID: string) =>
    world.store.row('SELECT status, fence, session_id FROM instance WHERE instance_id = ?', [instanceID]);
  const queuedAt = ({ environmentID }: Place) =>
    countOf(world.store, 'instance', "environment_id = ? AND status = 'queued'", [environmentID]);

  test('goes straight to it, claimed with its acceptance', async () => {
    const at = await place({ matrix: [{ name: 'total', type: 'Moeda' }] });
    const { claim } = await waiting(at);
    const before = looksAt(at);
    const request = startRequest(at, { matrix: { total: '1,50' } });
    expect(await start(request)).toEqual({ instanceID: request.instanceID, status: 'started' });
    const [work] = await claim;
    expect(looksAt(at)).toBe(before);
    expect(work).toMatchObject({ instanceID: request.instanceID, fence: 1, userName: 'erp', version: '1' });
    expect(work?.matrix).toEqual([{ name: 'total', type: 'Moeda', value: 1.5 }]);
    expect(await stateOf(request.instanceID)).toEqual({ status: 'unknown', fence: 1, session_id: at.sessionID });
    const held = { instanceID: request.instanceID, fence: 1, sessionID: at.sessionID };
    expect(await world.rpc.call(execution.grant, held)).toEqual({ granted: true, desired: 'run' });
  });

  test('brings the vault values that its flow refers to', async () => {
    const flow = '{"start":"a","steps":[{"name":"a","type":"rest","method":"GET","url":"http://x/{vault.TOKEN}"}]}';
    const at = await place({ flow });
    const sealed = new KeyRing(world.env['SECRET_KEYS'] ?? '').seal('s3cret', `vault:${at.ownerID}:TOKEN`);
    await world.store.write('INSERT INTO vault_secret VALUES (?, ?, ?, UTC_TIMESTAMP(3))', [
      at.ownerID,
      'TOKEN',
      sealed,
    ]);
    const { claim } = await waiting(at);
    await start(startRequest(at));
    expect((await claim)[0]?.vault).toEqual({ TOKEN: 's3cret' });
  });

  test('is queued when its vault values cannot be opened, and fails none of those accepted with it', async () => {
    const flow = '{"start":"a","steps":[{"name":"a","type":"rest","method":"GET","url":"http://x/{vault.TOKEN}"}]}';
    const [good, bad] = [await place(), await place({ flow })];
    await world.store.write('INSERT INTO vault_secret VALUES (?, ?, ?, UTC_TIMESTAMP(3))', [
      bad.ownerID,
      'TOKEN',
      new KeyRing(`k9:${randomBytes(32).toString('base64')}`).seal('s3cret', `vault:${bad.ownerID}:TOKEN`),
    ]);
    const [mine, others] = [await waiting(good), await waiting(bad)];
    const requests = Array.from({ length: 6 }, (_, index) => startRequest(index % 2 === 0 ? good : bad));
    const replies = await Promise.all(requests.map((request) => start(request).then(({ status }) => status, String)));
    expect(replies).toEqual(requests.map(() => 'started'));
    expect(await queuedAt(bad)).toBe(3);
    expect((await mine.claim).every(({ instanceID }) => requests.some((one) => one.instanceID === instanceID))).toBe(
      true,
    );
    // Once they can be opened, they go to the claim that still waits.
    await world.store.write('UPDATE vault_secret SET sealed = ? WHERE account_id = ?', [
      new KeyRing(world.env['SECRET_KEYS'] ?? '').seal('s3cret', `vault:${bad.ownerID}:TOKEN`),
      bad.ownerID,
    ]);
    world.rpc.notify(notifications.work, { environmentID: bad.environmentID });
    expect((await others.claim).map(({ vault }) => vault)).toEqual(
      Array.from({ length: 3 }, () => ({ TOKEN: 's3cret' })),
    );
  });

  test('is queued when more come than it wants, and claimed next', async () => {
    const at = await place();
    const { claim } = await waiting(at, 2);
    const requests = Array.from({ length: 6 }, () => startRequest(at));
    await Promise.all(requests.map(start));
    const first = await claim;
    expect(first.length).toBeGreaterThan(0);
    expect(first.length).toBeLessThanOrEqual(2);
    const { claim: next } = await waiting(at, 10);
    const rest = await next;
    expect([...first, ...rest].map(({ instanceID }) => instanceID).toSorted()).toEqual(
      requests.map(({ instanceID }) => instanceID).toSorted(),
    );
  });

  test('in parts goes to it one after the other, with what is queued between, until it has enough', async () => {
    const at = await place();
    const parts: string[] = [];
    const idsOf = (work: Work[]) => work.map(({ instanceID }) => instanceID);
    const claim = { ...at, limit: 3, waitMilliseconds: 60_000, inParts: true as const };
    const last = world.rpc.call(execution.claim, claim, {
      timeout: 120_000,
      ahead: ({ work }) => parts.push(...idsOf(work)),
    });
    await untilWaiting(at);
    const requests = [startRequest(at), startRequest(at), startRequest(at), startRequest(at)];
    for (const [index, request] of requests.slice(0, 2).entries()) {
      await start(request);
      await waitUntil('the part', () => parts.length === index + 1);
    }
    await start(requests[2] ?? startRequest(at));
    await start(requests[3] ?? startRequest(at));
    const ids = requests.map(({ instanceID }) => instanceID);
    expect([...parts, ...idsOf((await last).work)]).toEqual(ids.slice(0, 3));
    expect(await queuedAt(at)).toBe(1);
    expect(await claimed(at)).toMatchObject([{ instanceID: ids[3] }]);
  });

  /** Longer than any test runs: such a claim ends for another reason. */
  const PATIENT_CLAIM = { limit: 5, waitMilliseconds: 600_000, inParts: true as const };
  const claimInParts = (at: Place, brought: Work[]) =>
    world.rpc.call(
      execution.claim,
      { environmentID: at.environmentID, sessionID: at.sessionID, ...PATIENT_CLAIM },
      { timeout: 700_000, ahead: ({ work }) => brought.push(...work) },
    );

  test('that its session gives back ends it, and goes to another', async () => {
    const at = await place();
    const other = await connect(world.store, at.environmentID);
    const [mine, others]: [Work[], Work[]] = [[], []];
    const ending = claimInParts(at, mine);
    await untilWaiting(at);
    await start(startRequest(at));
    await waitUntil('it is brought', () => mine.length === 1);
    void claimInParts({ ...at, sessionID: other }, others).catch(() => undefined);
    await world.rpc.call(execution.release, { sessionID: at.sessionID, instances: mine });
    expect(await ending).toEqual({ work: [] });
    await waitUntil('the other has it', () => others.length === 1);
    expect(others).toMatchObject([{ instanceID: mine[0]?.instanceID, fence: 2 }]);
  });

  test('does not let it pass by what goes back into the queue meanwhile', async () => {
    const hears = jest.spyOn(EmptyQueueCache.prototype, 'onWork');
    const at = await place();
    await start(startRequest(at));
    const elsewhere = await connect(world.store, at.environmentID);
    const [back] = await claimed({ ...at, sessionID: elsewhere }, 1);
    const brought: Work[] = [];
    const ending = claimInParts(at, brought);
    await untilWaiting(at);
    const request = startRequest(at);
    const load = Reflect.get(FlowCache.prototype, 'load');
    const whileInHand = async () => {
      await world.rpc.call(execution.release, { sessionID: elsewhere, instances: back ? [back] : [] });
      await waitUntil('the hint', () => hears.mock.calls.some(([of]) => of === at.environmentID));
    };
    jest.spyOn(FlowCache.prototype, 'load').mockImplementationOnce(async function held(this: FlowCache, ...asked) {
      await whileInHand();
      return Reflect.apply(load, this, asked);
    });
    hears.mockClear();
    await start(request);
    expect(await ending).toEqual({ work: [] });
    expect(brought.map(({ instanceID }) => instanceID)).toEqual([request.instanceID]);
    expect(await claimed(at)).toMatchObject([{ instanceID: back?.instanceID, fence: 2 }]);
  });

  test('does not go to the claim of a session that goes on under another', async () => {
    const at = await place();
    const next = await connect(world.store, at.environmentID);
    const ending = claimInParts(at, []);
    await untilWaiting(at);
    await world.rpc.call(execution.adopt, { sessionID: next, previousSessionID: at.sessionID, held: [] });
    expect(await ending).toEqual({ work: [] });
  });

  test('that is refused leaves it waiting for the next', async () => {
    const at = await place();
    const { claim } = await waiting(at);
    await expect(start(startRequest(at, { matrix: { none: 1 } }))).rejects.toMatchObject({ code: 'INVALID_MATRIX' });
    const good = startRequest(at);
    await start(good);
    expect((await claim).map(({ instanceID }) => instanceID)).toEqual([good.instanceID]);
  });

  test('that is sent twice at once goes to it once', async () => {
    const at = await place();
    const { claim } = await waiting(at);
    const request = startRequest(at);
    await Promise.all([start(request), start({ ...request, resent: true })]);
    expect(await claim).toHaveLength(1);
    expect(await queuedAt(at)).toBe(0);
  });

  test('accepted elsewhere reaches it by a hint', async () => {
    const at = await place();
    const { claim } = await waiting(at);
    // As another replica leaves it: queued, and hinted.
    const { instanceID } = startRequest(at);
    await world.store.transaction(async (tx) => {
      await tx.write(
        `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, environment_id, version_id,
         version, trigger_kind, user_name, executor, request_id, status, accepted_as, accepted_at)
       VALUES (?, ?, 'P', ?, ?, ?, ?, 1, 'api', 'erp', 'key', '', 'queued', 'started', UTC_TIMESTAMP(3))`,
        [instanceID, at.processID, at.ownerID, at.companyID, at.environmentID, at.versionID],
      );
      const sealed = new KeyRing(world.env['SECRET_KEYS'] ?? '').seal('[]', `instance:${instanceID}`);
      await tx.write('INSERT INTO instance_input VALUES (?, ?)', [instanceID, sealed]);
    });
    world.rpc.notify(notifications.work, { environmentID: at.environmentID });
    expect((await claim).map((work) => work.instanceID)).toEqual([instanceID]);
  });

  test('what one message could not carry does not wait for a hint', async () => {
    const at = await place({ matrix: [{ name: 'text', type: 'Texto' }] });
    const matrix = { text: 'x'.repeat(900_000) };
    for (let n = 0; n < 6; n += 1) await start(startRequest(at, { matrix }));
    expect(await claimed(at, 50)).toHaveLength(4);
    expect(await claimed(at, 50)).toHaveLength(2);
  });

  test('of an environment without an agent does not reach it', async () => {
    const at = await place();
    await world.store.write('UPDATE agent_session SET closed_at = UTC_TIMESTAMP(3) WHERE session_id = ?', [
      at.sessionID,
    ]);
    const { claim } = await waiting(at);
    const request = startRequest(at);
    expect(await start(request)).toMatchObject({ status: 'queued' });
    // It is found in the queue all the same, by who asks for it.
    expect((await claim).map(({ instanceID }) => instanceID)).toEqual([request.instanceID]);
  });

  test('a claim that waits in vain comes back empty', async () => {
    const at = await place();
    expect(await claimed(at, 5, 50)).toEqual([]);
  });
});

test('a service that stops answers the claims that wait and the starts under way', async () => {
  const world = await startWorld();
  const at = await register(world.store);
  const sessionID = await connect(world.store, at.environmentID);
  const start = (request: StartRequest) => world.rpc.call(execution.start, request);
  await start(startRequest(at));
  const claim = { environmentID: at.environmentID, sessionID, limit: 5, waitMilliseconds: 60_000 };
  const claimed = async () => (await world.rpc.call(execution.claim, claim, { timeout: 120_000 })).work;
  expect(await claimed()).toHaveLength(1);
  const stop = new AbortController();
  const waiting = async () => {
    let work = await claimed();
    while (work.length === 0 && !stop.signal.aborted) work = await claimed();
    return work;
  };
  const answer = waiting();
  await untilWaiting(at);
  const request = startRequest(at);
  // How long a service may take to stop is not at issue.
  const bound = holdTimers(2_000);
  const { started, stopped } = await world.store.transaction(async (tx) => {
    await tx.rows('SELECT 1 FROM credit_account WHERE company_id = ? FOR UPDATE', [at.companyID]);
    const asked = start(request);
    // Asked behind it, and answered while it waits for the lock.
    await world.rpc.call(execution.inUse, { environmentID: at.environmentID });
    stop.abort();
    const stopping = world.stopServices();
    expect(await answer).toEqual([]);
    return { started: asked, stopped: stopping };
  });
  expect(await started).toEqual({ instanceID: request.instanceID, status: 'started' });
  await stopped;
  bound.release();
  expect(await countOf(world.store, 'instance', "instance_id = ? AND status = 'queued'", [request.instanceID])).toBe(1);
  await world.close();
});
