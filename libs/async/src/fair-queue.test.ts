import { FairQueue } from './fair-queue';

function filled(items: Record<string, string[]>): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const [tenant, names] of Object.entries(items)) for (const name of names) queue.add(tenant, name);
  return queue;
}

const drain = (queue: FairQueue<string>) => Array.from({ length: queue.size }, () => queue.next());

test('tenants take turns, and the items of one tenant keep their order', () => {
  expect(drain(filled({ a: ['a1', 'a2', 'a3'], b: ['b1'], c: ['c1', 'c2'] }))).toEqual([
    'a1',
    'b1',
    'c1',
    'a2',
    'c2',
    'a3',
  ]);
});

test('a tenant that may not run keeps its items, and others take their turns', () => {
  const queue = filled({ a: ['a1'], b: ['b1'] });
  expect([queue.next((tenant) => tenant !== 'a'), queue.next((tenant) => tenant !== 'a')]).toEqual(['b1', undefined]);
  expect([queue.size, queue.sizeOf('a'), queue.next()]).toEqual([1, 1, 'a1']);
});

test('the newest item of the tenant with the most items is removed, if these are more than a number', () => {
  const queue = filled({ a: ['a1'], b: ['b1', 'b2', 'b3'] });
  expect([queue.removeFromLongest(2), queue.removeFromLongest(2), queue.size]).toEqual(['b3', undefined, 3]);
});
