import { Abilities } from '@batuta/agent-protocol';
import type { InstanceWork } from '@batuta/contracts';
import { EmptyQueueCache } from './empty-queue-cache';
import { PendingClaims } from './pending-claims';

const ENVIRONMENT_ID = 'environment';
const WAIT_MS = 60_000;
const abilities = Abilities.announced();
const anyNeeds = () => true;

const workOf = (instanceID: string): InstanceWork => ({
  instanceID,
  fence: 1,
  processID: 'p',
  processName: 'P',
  version: '1',
  userName: 'u',
  requestID: 'r',
  flow: {},
  matrix: [],
  vault: {},
});

function createClaims() {
  const queues = new EmptyQueueCache();
  const claims = new PendingClaims(queues);
  return { queues, claims };
}

/** The work of a claim, or 'waits' while the claim is pending. */
const stateOf = async (claim: Promise<InstanceWork[]>) =>
  Promise.race([claim, new Promise((resolve) => setImmediate(() => resolve('waits')))]);

/** A claim that takes its work in parts. `parts` lists the instances that it got before its end. */
function claimInParts(claims: PendingClaims, sessionID: string, limit: number) {
  const parts: string[] = [];
  const sendPart = (some: InstanceWork[]) => parts.push(...some.map(({ instanceID }) => instanceID));
  return { parts, last: claims.wait(ENVIRONMENT_ID, { sessionID, limit, abilities, sendPart }, WAIT_MS) };
}

/** Delivers to the claim that waits longest and returns its session. */
function deliverNext(claims: PendingClaims, ...instanceIDs: string[]): string | undefined {
  const claim = claims.checkOut(ENVIRONMENT_ID, anyNeeds);
  if (claim) claims.deliver(ENVIRONMENT_ID, claim, instanceIDs.map(workOf));
  return claim?.sessionID;
}

describe('waiting', () => {
  test('pending claims are checked out in the order of their arrival, each by one caller', async () => {
    const { claims } = createClaims();
    const first = claims.wait(ENVIRONMENT_ID, { sessionID: 's1', limit: 2, abilities }, WAIT_MS);
    const second = claims.wait(ENVIRONMENT_ID, { sessionID: 's2', limit: 2, abilities }, WAIT_MS);
    const checkedOut = [1, 2, 3].map(() => claims.checkOut(ENVIRONMENT_ID, anyNeeds)?.sessionID);
    expect(checkedOut).toEqual(['s1', 's2', undefined]);
    expect([await stateOf(first), await stateOf(second)]).toEqual(['waits', 'waits']);
    claims.onModuleDestroy();
  });

  test('pending claims keep waiting after a check-in', async () => {
    const { claims } = createClaims();
    const reply = claims.wait(ENVIRONMENT_ID, { sessionID: 's1', limit: 2, abilities }, WAIT_MS);
    const claim = claims.checkOut(ENVIRONMENT_ID, anyNeeds);
    if (claim) claims.checkIn(ENVIRONMENT_ID, claim);
    expect(claims.checkOut(ENVIRONMENT_ID, anyNeeds)).toBe(claim);
    claim?.deliver([workOf('i')]);
    expect(await reply).toEqual([workOf('i')]);
  });

  test('a pending claim ends without work at its timeout; one that is checked out at that moment ends when it is checked in', async () => {
    const { claims } = createClaims();
    expect(await claims.wait(ENVIRONMENT_ID, { sessionID: 's1', limit: 2, abilities }, 1)).toEqual([]);
    const reply = claims.wait(ENVIRONMENT_ID, { sessionID: 's2', limit: 2, abilities }, 1);
    const claim = claims.checkOut(ENVIRONMENT_ID, anyNeeds);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await stateOf(reply)).toBe('waits');
    if (claim) claims.checkIn(ENVIRONMENT_ID, claim);
    expect(await reply).toEqual([]);
  });

  test('pending claims end when the service stops, and no claim waits after that', async () => {
    const { claims } = createClaims();
    const reply = claims.wait(ENVIRONMENT_ID, { sessionID: 's1', limit: 2, abilities }, WAIT_MS);
    claims.onModuleDestroy();
    const later = claims.wait(ENVIRONMENT_ID, { sessionID: 's1', limit: 2, abilities }, WAIT_MS);
    expect([await reply, await later]).toEqual([[], []]);
  });

  test('pending claims end with their first work; those that take it in parts take turns until they reach their limit', async () => {
    const { claims } = createClaims();
    const first = claimInParts(claims, 's1', 3);
    const second = claims.wait(ENVIRONMENT_ID, { sessionID: 's2', limit: 3, abilities }, WAIT_MS);
    const third = claimInParts(claims, 's3', 3);
    const sessions = [
      deliverNext(claims, 'a'),
      deliverNext(claims, 'b'),
      deliverNext(claims, 'c'),
      deliverNext(claims, 'd', 'e'),
    ];
    expect(sessions).toEqual(['s1', 's2', 's3', 's1']);
    expect(await second).toEqual([workOf('b')]);
    expect([first.parts, await first.last]).toEqual([['a'], [workOf('d'), workOf('e')]]);
    expect(claims.checkOut(ENVIRONMENT_ID, anyNeeds)?.remainingLimit).toBe(2);
    expect([third.parts, await stateOf(third.last)]).toEqual([['c'], 'waits']);
    claims.onModuleDestroy();
  });

  test('pending claims end at their check-in when the queue was notified after their check-out', async () => {
    const { claims, queues } = createClaims();
    const first = claimInParts(claims, 's1', 3);
    const claim = claims.checkOut(ENVIRONMENT_ID, anyNeeds);
    queues.onWork(ENVIRONMENT_ID);
    if (claim) claims.deliver(ENVIRONMENT_ID, claim, [workOf('a')]);
    expect([first.parts, await first.last]).toEqual([['a'], []]);
    const second = claimInParts(claims, 's2', 3);
    const notified = claims.checkOut(ENVIRONMENT_ID, anyNeeds);
    if (notified) claims.deliver(ENVIRONMENT_ID, notified, []);
    expect(await stateOf(second.last)).toBe('waits');
    claims.onModuleDestroy();
  });

  test('pending claims that take work in parts end when the service stops, whatever they got before', async () => {
    const { claims } = createClaims();
    const { parts, last } = claimInParts(claims, 's1', 3);
    deliverNext(claims, 'a');
    const claim = claims.checkOut(ENVIRONMENT_ID, anyNeeds);
    claims.onModuleDestroy();
    if (claim) claims.deliver(ENVIRONMENT_ID, claim, [workOf('b')]);
    expect([parts, await last]).toEqual([['a', 'b'], []]);
  });

  test('pending claims of one session can be cancelled, and those of others keep waiting', async () => {
    const { claims } = createClaims();
    const [cancelled, other] = [claimInParts(claims, 's1', 3), claimInParts(claims, 's2', 3)];
    claims.cancel(ENVIRONMENT_ID, 's1');
    expect([await cancelled.last, await stateOf(other.last)]).toEqual([[], 'waits']);
    expect(deliverNext(claims, 'a')).toBe('s2');
    claims.cancel('another environment', 's2');
    expect(await stateOf(other.last)).toBe('waits');
    claims.onModuleDestroy();
  });
});
