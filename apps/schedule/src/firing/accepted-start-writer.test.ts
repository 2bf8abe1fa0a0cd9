import { Store } from '@batuta/database';
import { AcceptedStartWriter } from './accepted-start-writer';

interface Write {
  ids: unknown;
  end: (affectedRows: number) => void;
}

/** A store whose writes end when the test ends them; a read returns `found`. */
function createStore(found: string[] = []) {
  const writes: Write[] = [];
  const write = (_sql: string, [, ids]: unknown[]) =>
    new Promise((resolve) => writes.push({ ids, end: (affectedRows) => resolve({ affectedRows, insertId: 0 }) }));
  const rows = async () => found.map((id) => ({ instance_id: id }));
  const store: Store = Object.assign(Object.create(Store.prototype), { write, rows });
  return { accepted: new AcceptedStartWriter(store), writes };
}

const fired = (instance_id: string, attempts = 1) => ({ instance_id, attempts, result: 'fired' as const });
const nextTurn = () => new Promise(setImmediate);

test('starts that are accepted in one turn share a write, and those that are accepted during a write share the next one', async () => {
  const { accepted, writes } = createStore();
  const saves = ['a', 'b'].map((id) => accepted.save(fired(id)));
  await nextTurn();
  expect(writes.map(({ ids }) => ids)).toEqual([['a', 'b']]);
  saves.push(...['c', 'd'].map((id) => accepted.save(fired(id))));
  await nextTurn();
  expect(writes).toHaveLength(1);
  writes[0]?.end(2);
  await nextTurn();
  expect(writes.map(({ ids }) => ids)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  writes[1]?.end(2);
  expect(await Promise.all(saves)).toEqual([true, true, true, true]);
});

test('a start that is accepted after a write has ended is written as well', async () => {
  const { accepted, writes } = createStore();
  const first = accepted.save(fired('a'));
  await nextTurn();
  writes[0]?.end(1);
  expect(await first).toBe(true);
  const second = accepted.save(fired('b'));
  await nextTurn();
  writes[1]?.end(1);
  expect(await second).toBe(true);
});

test('the result of a start is not saved once another replica has begun a later attempt, and other results are', async () => {
  const { accepted, writes } = createStore(['a', 'c']);
  const saves = ['a', 'b', 'c'].map((id) => accepted.save(fired(id)));
  await nextTurn();
  writes[0]?.end(1);
  expect(await Promise.all(saves)).toEqual([true, false, true]);
});

test('starts with different numbers of attempts are written in separate statements', async () => {
  const { accepted, writes } = createStore();
  const saves = [accepted.save(fired('a')), accepted.save(fired('b')), accepted.save(fired('c', 2))];
  for (const [index, count] of [2, 1].entries()) {
    await nextTurn();
    writes[index]?.end(count);
  }
  expect(await Promise.all(saves)).toEqual([true, true, true]);
  expect(writes.map(({ ids }) => ids)).toEqual([['a', 'b'], ['c']]);
});
