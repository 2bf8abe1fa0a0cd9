import { waitUntil } from '../../../test/support/wait-until';
import { Batcher, type SettledItem } from './batcher';

interface TestItem {
  name: string;
  keys: string[];
  bytes?: number;
  tenant?: string;
}

/**
 * A batcher whose batches wait until the test calls `next`, which ends the oldest batch. The options of `submit` are
 * keys (text) and the time limit of the caller (a number).
 */
function createHeldBatcher(maxBatchSize: number) {
  const batches: string[][] = [];
  const pending: (() => void)[] = [];
  /** Tenants with a lock that another transaction holds: a batch that may not wait postpones their items. */
  const locked = new Set<string | undefined>();
  const batcher = new Batcher<TestItem, string>(maxBatchSize, async (items, waitsForLocks) => {
    batches.push(items.map(({ name }) => name));
    await new Promise<void>((resolve) => pending.push(resolve));
    return items.map(({ name, tenant }): SettledItem<string> => {
      if (!waitsForLocks && locked.has(tenant)) return { postponed: true };
      return name === 'bad' ? { error: new Error(name) } : { result: name };
    });
  });
  const next = async () => {
    pending.shift()?.();
    await new Promise(setImmediate);
  };
  /** Ends all batches, because an item that is never settled would fail during a later test. */
  const end = async () => {
    while (pending.length > 0) await next();
  };
  const submit = (name: string, ...options: (string | number)[]) => {
    const keys = options.filter((option) => typeof option === 'string');
    const timeLimitMs = options.find((option) => typeof option === 'number');
    return batcher.submit({ name, keys }, timeLimitMs);
  };
  return { batcher, batches, locked, next, end, submit };
}

test('an idle batcher processes an item at once, a busy one gathers items for the next batch', async () => {
  const { batches, next, submit } = createHeldBatcher(10);
  const all = ['a', 'b', 'c'].map((name) => submit(name));
  expect(batches).toEqual([['a']]);
  await next();
  expect(batches).toEqual([['a'], ['b', 'c']]);
  await next();
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
});

test('a batch has at most the maximum number of items', async () => {
  const { batches, next, submit } = createHeldBatcher(2);
  const all = ['a', 'b', 'c', 'd'].map((name) => submit(name));
  await next();
  await next();
  await next();
  await Promise.all(all);
  expect(batches).toEqual([['a'], ['b', 'c'], ['d']]);
});

test('items with a common key never share a batch and keep their order', async () => {
  const { batches, next, submit } = createHeldBatcher(10);
  const all = [submit('0'), submit('a', 'k'), submit('b', 'k'), submit('c'), submit('d', 'k')];
  for (let round = 0; round < 4; round += 1) await next();
  await Promise.all(all);
  expect(batches).toEqual([['0'], ['a', 'c'], ['b'], ['d']]);
});

test('an item with an error fails alone', async () => {
  const { next, submit } = createHeldBatcher(10);
  const first = submit('0');
  const rest = Promise.allSettled([submit('bad'), submit('good')]);
  await next();
  await next();
  expect(await first).toBe('0');
  expect(await rest).toEqual([
    { status: 'rejected', reason: new Error('bad') },
    { status: 'fulfilled', value: 'good' },
  ]);
});

test('a batch that throws fails all of its items, and the next batch is processed', async () => {
  let calls = 0;
  const batcher = new Batcher<TestItem, string>(10, async (items) => {
    calls += 1;
    if (calls === 1) throw new Error('database away');
    return items.map(({ name }) => ({ result: name }));
  });
  await expect(batcher.submit({ name: 'a', keys: [] })).rejects.toThrow('database away');
  expect(await batcher.submit({ name: 'b', keys: [] })).toBe('b');
});

test('after the time limit of its caller an item fails: a queued item is dropped, and an item in a batch loses its result', async () => {
  const { batches, next, submit } = createHeldBatcher(1);
  const expected = submit('expected');
  const all = Promise.allSettled([submit('dropped', 0)]);
  expect(await all).toMatchObject([{ status: 'rejected', reason: { code: 'UNAVAILABLE' } }]);
  await next();
  expect(await expected).toBe('expected');
  const processed = submit('processed', 0);
  await expect(processed).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await next();
  expect(batches).toEqual([['expected'], ['processed']]);
});

test('a full queue refuses an item, which is never processed', async () => {
  const { batches, next, submit } = createHeldBatcher(1);
  const accepted = [submit('in progress'), ...Array.from({ length: 20 }, (_, index) => submit(`${index}`))];
  await expect(submit('too many')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  for (let round = 0; round <= 20; round += 1) await next();
  await Promise.all(accepted);
  expect(batches.flat()).not.toContain('too many');
});

test('the age of a batch counts from its beginning, and is 0 when no batch is in progress', async () => {
  const { batcher, next, submit } = createHeldBatcher(1);
  expect(batcher.batchAgeMs).toBe(0);
  const result = submit('a');
  await waitUntil('time passes', () => batcher.batchAgeMs > 0);
  await next();
  await result;
  expect(batcher.batchAgeMs).toBe(0);
});

describe('size', () => {
  const large = (name: string, tenant: string, { megabytes = 1, key = name } = {}) => ({
    name,
    keys: [key],
    tenant,
    bytes: megabytes * 1_048_576,
  });
  const small = (name: string, tenant: string, key = name) => ({ name, keys: [key], tenant });

  it('large items have batches of their own, and small items of other tenants do not wait for them', async () => {
    const { batcher, batches, next, end } = createHeldBatcher(10);
    void batcher.submit(large('large', 'a'));
    void batcher.submit(small('small', 'b'));
    expect(batches).toEqual([['large'], ['small']]);
    void batcher.submit(small('next', 'b'));
    await next();
    await next();
    expect(batches).toEqual([['large'], ['small'], ['next']]);
    await next();
    expect(batcher.batchAgeMs).toBe(0);
    await end();
  });

  it('large items share a batch with small items of their tenant', async () => {
    const { batcher, batches, next, end } = createHeldBatcher(10);
    void batcher.submit(large('first', 'a'));
    void batcher.submit(large('second', 'a'));
    void batcher.submit(small('third', 'a'));
    await next();
    expect(batches).toEqual([['first'], ['second', 'third']]);
    await end();
  });

  it('large items of one tenant share a batch up to a megabyte, and tenants take turns', async () => {
    const { batcher, batches, next, end } = createHeldBatcher(10);
    const half = { megabytes: 0.5 };
    for (const name of ['a1', 'a2', 'a3', 'a4']) void batcher.submit(large(name, 'a', half));
    void batcher.submit(large('b1', 'b', { megabytes: 9 }));
    void batcher.submit(large('b2', 'b'));
    for (let round = 0; round < 5; round += 1) await next();
    expect(batches).toEqual([['a1'], ['b1'], ['a2', 'a3'], ['b2'], ['a4']]);
    await end();
  });

  it('large items delay small items of their tenant until their batch has ended', async () => {
    const { batcher, batches, next, end } = createHeldBatcher(10);
    void batcher.submit(large('large', 'a'));
    void batcher.submit(small('own', 'a'));
    void batcher.submit(small('other', 'b'));
    expect(batches).toEqual([['large'], ['other']]);
    await next();
    await next();
    expect(batches).toEqual([['large'], ['other'], ['own']]);
    await end();
  });

  it('large items that share a key with another item keep their order', async () => {
    const { batcher, batches, next, end } = createHeldBatcher(10);
    void batcher.submit(small('first', 'a', 'k'));
    void batcher.submit(large('second', 'a', { key: 'k' }));
    void batcher.submit(small('third', 'b', 'k'));
    expect(batches).toEqual([['first']]);
    await next();
    expect(batches).toEqual([['first'], ['second']]);
    await next();
    expect(batches).toEqual([['first'], ['second'], ['third']]);
    await end();
  });
});

describe('locked tenants', () => {
  const item = (name: string, tenant: string, key = name) => ({ name, keys: [key], tenant });

  it('items of a tenant that another replica has locked are postponed to a batch of their tenant, for which no other tenant waits', async () => {
    const { batcher, batches, locked, next, end } = createHeldBatcher(10);
    locked.add('a');
    const all = [item('a1', 'a'), item('b1', 'b'), item('a2', 'a')].map((one) => batcher.submit(one));
    await next();
    expect(batches).toEqual([['a1'], ['a1', 'a2'], ['b1']]);
    await end();
    expect(await Promise.all(all)).toEqual(['a1', 'b1', 'a2']);
  });

  it('items that wait behind a batch of a locked tenant follow it in a batch of their tenant', async () => {
    const { batcher, batches, locked, next, end } = createHeldBatcher(10);
    locked.add('a');
    void batcher.submit(item('a1', 'a'));
    await next();
    void batcher.submit(item('a2', 'a'));
    void batcher.submit(item('b1', 'b'));
    locked.delete('a');
    await next();
    expect(batches).toEqual([['a1'], ['a1'], ['b1'], ['a2']]);
    await end();
  });

  it('batches of at most three locked tenants wait at a time', async () => {
    const { batcher, batches, locked, next, end } = createHeldBatcher(10);
    const tenants = ['a', 'b', 'c', 'd'];
    for (const tenant of tenants) locked.add(tenant);
    const all = ['0', ...tenants].map((name) => batcher.submit(item(name, name)));
    await next();
    await next();
    expect(batches).toEqual([['0'], tenants, ['a'], ['b'], ['c']]);
    await next();
    expect(batches.slice(5)).toEqual([['d']]);
    await end();
    expect(await Promise.all(all)).toEqual(['0', ...tenants]);
  });

  it('items of a locked tenant that share a key keep their order', async () => {
    const { batcher, batches, locked, next, end } = createHeldBatcher(10);
    locked.add('a');
    void batcher.submit(item('a1', 'a', 'k'));
    void batcher.submit(item('a2', 'a', 'k'));
    for (let round = 0; round < 3; round += 1) await next();
    expect(batches).toEqual([['a1'], ['a1'], ['a2']]);
    await end();
  });
});
