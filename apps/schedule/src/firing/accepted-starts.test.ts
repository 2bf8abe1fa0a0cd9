import { Store } from '@batuta/database';
import { AcceptedStarts } from './accepted-starts';

interface Write {
  ids: unknown;
  end: (affectedRows: number) => void;
}

/** A store whose writes end when the test says so; a read finds `found`. */
function createStore(found: string[] = []) {
  const writes: Write[] = [];
  const write = (_sql: string, [, ids]: unknown[]) =>
    new Promise((resolve) => writes.push({ ids, end: (affectedRows) => resolve({ affectedRows, insertId: 0 }) }));
  const rows = async () => found.map((id) => ({ instance_id: id }));
  const store: Store = Object.assign(Object.create(Store.prototype), { write, rows });
  return { accepted: new AcceptedStarts(store), writes };
}

const fired = (instance_id: string, attempts = 1) => ({ instance_id, attempts, result: 'fired' as const });
const turn = () => new Promise(setImmediate);

test('starts that are accepted during a write share the next one', async () => {
  const { accepted, writes } = createStore();
  const saves = ['a', 'b', 'c'].map((id) => accepted.save(fired(id)));
  expect(writes.map(({ ids }) => ids)).toEqual([['a']]);
  writes[0]?.end(1);
  await turn();
  expect(writes.map(({ ids }) => ids)).toEqual([['a'], ['b', 'c']]);
  writes[1]?.end(2);
  expect(await Promise.all(saves)).toEqual([true, true, true]);
});

test('a start of which another replica began a later attempt is not saved, and the others are', async () => {
  const { accepted, writes } = createStore(['c']);
  const saves = ['a', 'b', 'c'].map((id) => accepted.save(fired(id)));
  writes[0]?.end(1);
  await turn();
  writes[1]?.end(1);
  expect(await Promise.all(saves)).toEqual([true, false, true]);
});

test('starts of different numbers of attempts are written apart', async () => {
  const { accepted, writes } = createStore();
  const saves = [accepted.save(fired('a')), accepted.save(fired('b')), accepted.save(fired('c', 2))];
  for (const index of [0, 1, 2]) {
    writes[index]?.end(1);
    await turn();
  }
  expect(await Promise.all(saves)).toEqual([true, true, true]);
  expect(writes.map(({ ids }) => ids)).toEqual([['a'], ['b'], ['c']]);
});
