import { LRUCache } from 'lru-cache';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { entryLimit } from './entry-limit';

const KILOBYTE = 1_024;

test('a cache with a limit of entries drops the one that was not used for the longest time', () => {
  const cache = new LRUCache<string, number>(entryLimit(2));
  for (const [index, key] of ['a', 'b'].entries()) cache.set(key, index);
  cache.get('a');
  cache.set('c', 2);
  expect([...cache.keys()]).toEqual(['c', 'a']);
});

test('an empty cache takes no memory for the entries that it may have', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  const before = getHeapStatistics().used_heap_size;
  const caches = Array.from({ length: 100 }, () => new LRUCache<string, string>({ ...entryLimit(10_000), ttl: 1_000 }));
  collect();
  const kilobytes = (getHeapStatistics().used_heap_size - before) / KILOBYTE / caches.length;
  expect(kilobytes).toBeLessThan(50);
});
