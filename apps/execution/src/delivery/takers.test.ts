import type { Work } from '@batuta/contracts';
import { ClaimService } from './claim.service';
import { Takers, type Found } from './takers';

describe('claims that wait', () => {
  // What was found a moment ago is believed; a slow machine makes no longer a moment of it.
  beforeEach(() => jest.spyOn(performance, 'now').mockReturnValue(0));
  afterEach(() => jest.restoreAllMocks());

  const E = 'environment';
  const work = (instanceID: string): Work => ({
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
  const state = async (claim: Promise<Work[]>) =>
    Promise.race([claim, new Promise((resolve) => setImmediate(() => resolve('waits')))]);

  test('are taken in the order in which they came, each by one', async () => {
    const takers = new Takers();
    const first = takers.wait(E, { sessionID: 's1', limit: 2 }, 60_000);
    const second = takers.wait(E, { sessionID: 's2', limit: 2 }, 60_000);
    expect([takers.take(E), takers.take(E), takers.take(E)].map((taker) => taker?.sessionID)).toEqual([
      's1',
      's2',
      undefined,
    ]);
    expect([await state(first), await state(second)]).toEqual(['waits', 'waits']);
    takers.onModuleDestroy();
  });

  test('go on waiting when they are put back', async () => {
    const takers = new Takers();
    const claim = takers.wait(E, { sessionID: 's1', limit: 2 }, 60_000);
    const taker = takers.take(E);
    if (taker) takers.putBack(E, taker);
    expect(takers.take(E)).toBe(taker);
    taker?.give([work('i')]);
    expect(await claim).toEqual([work('i')]);
  });

  test('end with nothing when the time is up, or when they are put back after it', async () => {
    const takers = new Takers();
    expect(await takers.wait(E, { sessionID: 's1', limit: 2 }, 1)).toEqual([]);
    const claim = takers.wait(E, { sessionID: 's2', limit: 2 }, 1);
    const taker = takers.take(E);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await state(claim)).toBe('waits');
    if (taker) takers.putBack(E, taker);
    expect(await claim).toEqual([]);
  });

  test('end with the service, and none begins after it', async () => {
    const takers = new Takers();
    const claim = takers.wait(E, { sessionID: 's1', limit: 2 }, 60_000);
    takers.onModuleDestroy();
    expect([await claim, await takers.wait(E, { sessionID: 's1', limit: 2 }, 60_000)]).toEqual([[], []]);
  });

  const inParts = (takers: Takers, sessionID: string, limit: number) => {
    const parts: string[] = [];
    const ahead = (some: Work[]) => parts.push(...some.map(({ instanceID }) => instanceID));
    return { parts, last: takers.wait(E, { sessionID, limit, ahead }, 60_000) };
  };
  const giveNext = (takers: Takers, ...ids: string[]) => {
    const taker = takers.take(E);
    if (taker) takers.give(E, taker, ids.map(work));
    return taker?.sessionID;
  };

  test('are over with the first that they get, but for those in parts: they take turns until they have enough', async () => {
    const takers = new Takers();
    const first = inParts(takers, 's1', 3);
    const second = takers.wait(E, { sessionID: 's2', limit: 3 }, 60_000);
    const third = inParts(takers, 's3', 3);
    const given = [giveNext(takers, 'a'), giveNext(takers, 'b'), giveNext(takers, 'c'), giveNext(takers, 'd', 'e')];
    expect(given).toEqual(['s1', 's2', 's3', 's1']);
    expect(await second).toEqual([work('b')]);
    expect([first.parts, await first.last]).toEqual([['a'], [work('d'), work('e')]]);
    expect(takers.take(E)?.limit).toBe(2);
    expect([third.parts, await state(third.last)]).toEqual([['c'], 'waits']);
    takers.onModuleDestroy();
  });

  test('end when they are put back after a hint that nobody looked for with them', async () => {
    const takers = new Takers();
    const first = inParts(takers, 's1', 3);
    const taker = takers.take(E);
    takers.hinted(E);
    if (taker) takers.give(E, taker, [work('a')]);
    expect([first.parts, await first.last]).toEqual([['a'], []]);
    const second = inParts(takers, 's2', 3);
    const seen = takers.take(E);
    if (seen) takers.give(E, seen, []);
    expect(await state(second.last)).toBe('waits');
    takers.onModuleDestroy();
  });

  test('in parts end with the service, whatever they got before', async () => {
    const takers = new Takers();
    const { parts, last } = inParts(takers, 's1', 3);
    giveNext(takers, 'a');
    const taker = takers.take(E);
    takers.onModuleDestroy();
    if (taker) takers.give(E, taker, [work('b')]);
    expect([parts, await last]).toEqual([['a', 'b'], []]);
  });

  test('of a session that has no use for more end, and no others', async () => {
    const takers = new Takers();
    const [dismissed, other] = [inParts(takers, 's1', 3), inParts(takers, 's2', 3)];
    takers.dismiss(E, 's1');
    expect([await dismissed.last, await state(other.last)]).toEqual([[], 'waits']);
    expect(giveNext(takers, 'a')).toBe('s2');
    takers.dismiss('elsewhere', 's2');
    expect(await state(other.last)).toBe('waits');
    takers.onModuleDestroy();
  });

  const found = (drained: boolean, ...ids: string[]) => ({ work: ids.map(work), drained });

  test('a queue that was drained counts as empty until something is hinted', async () => {
    const takers = new Takers();
    expect(takers.isEmpty(E)).toBe(false);
    expect(await takers.look(E, async () => found(true, 'i'))).toEqual([work('i')]);
    expect(takers.isEmpty(E)).toBe(true);
    takers.hinted(E);
    expect(takers.isEmpty(E)).toBe(false);
    await takers.look(E, async () => found(true));
    await takers.look(E, async () => found(false, 'i'));
    expect(takers.isEmpty(E)).toBe(false);
  });

  test.each([
    ['nobody has looked yet', async () => found(true), true],
    [
      'something is hinted during the look',
      async (takers: Takers) => {
        takers.hinted(E);
        return found(true);
      },
      false,
    ],
  ])('a queue does not count as empty while %s', async (_, look, after) => {
    const takers = new Takers();
    await takers.look(E, () => {
      expect(takers.isEmpty(E)).toBe(false);
      return look(takers);
    });
    expect(takers.isEmpty(E)).toBe(after);
  });

  test('a look that fails says nothing about the queue', async () => {
    const takers = new Takers();
    await expect(takers.look(E, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(takers.isEmpty(E)).toBe(false);
  });
});

describe('a claim', () => {
  const E = 'environment';
  const claimsBy = (looks: () => Promise<Found>) => {
    const takers = new Takers();
    const store = Object.assign(Object.create(null), { transaction: looks });
    const unused = Object.create(null);
    return { takers, claims: new ClaimService(store, unused, unused, takers, unused) };
  };

  test('that waits ends in its time, however slow the database is', async () => {
    let looks = 0;
    const { claims } = claimsBy(async () => {
      looks += 1;
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      return { work: [], drained: true };
    });
    expect(await claims.claim(E, { sessionID: 's', limit: 5 }, 500)).toEqual([]);
    expect(looks).toBe(1);
  });

  test('looks once, however many look at the same time', async () => {
    let looks = 0;
    const { claims } = claimsBy(async () => {
      looks += 1;
      if (looks > 100) throw new Error('endless');
      await new Promise((resolve) => setTimeout(resolve, 2));
      return { work: [], drained: true };
    });
    const first = claims.claim(E, { sessionID: 's1', limit: 5 }, 0);
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await Promise.all([first, claims.claim(E, { sessionID: 's2', limit: 5 }, 0)])).toEqual([[], []]);
    expect(looks).toBe(2);
  });

  test('that comes while the service stops takes nothing any more', async () => {
    const { takers, claims } = claimsBy(() => Promise.reject(new Error('looked')));
    takers.onModuleDestroy();
    expect(await claims.claim(E, { sessionID: 's', limit: 5 }, 0)).toEqual([]);
  });
});
