import type { Store } from '@batuta/database';
import { contentOf, FlowCache } from './flow-cache';

/** A store of versions, with the ids that each query asked for. */
function fakeStore(versions: Record<string, string>) {
  const queries: string[][] = [];
  const rowsOf = (ids: string[]) => {
    queries.push(ids);
    return ids.flatMap((id) => (versions[id] === undefined ? [] : [{ version_id: id, flow: versions[id] }]));
  };
  const store: Pick<Store, 'rows' | 'row'> = Object.assign(Object.create(null), {
    rows: async (_sql: string, [limit, ids]: [number, string[]]) =>
      rowsOf(ids).map((row) => (row.flow.length <= limit ? row : { ...row, flow: null })),
    row: async (_sql: string, [id]: [string]) => rowsOf([id])[0],
  });
  return { queries, store: Object.assign(Object.create(null), store) };
}

const flowOf = (characters: number) => JSON.stringify({ start: 'a', steps: [], note: 'x'.repeat(characters) });

test('a flow is read from the database once, and large flows one by one', async () => {
  const { queries, store } = fakeStore({ small: flowOf(10), large: flowOf(100_000) });
  const cache = new FlowCache();
  expect([...(await cache.load(store, ['small', 'large', 'deleted'])).keys()]).toEqual(['small']);
  expect(await cache.loadOne(store, 'large')).toMatchObject({ flow: { start: 'a' }, responds: false });
  expect([...(await cache.load(store, ['small', 'large'])).keys()]).toEqual(['small', 'large']);
  expect(await cache.loadOne(store, 'deleted')).toBeUndefined();
  expect(queries).toEqual([['small', 'large', 'deleted'], ['large'], ['deleted']]);
});

test('pickFromAll reads the large flows of a batch one by one', async () => {
  const { queries, store } = fakeStore({ small: flowOf(10), large: flowOf(100_000) });
  const picked = await new FlowCache().pickFromAll(
    store,
    ['small', 'large', 'deleted'],
    ({ bytes }) => bytes > 100_000,
  );
  expect(picked).toEqual(
    new Map([
      ['small', false],
      ['large', true],
    ]),
  );
  expect(queries).toEqual([['small', 'large', 'deleted'], ['large'], ['deleted']]);
});

test('the cache keeps flows up to a limit of their estimated memory, and reads a dropped flow again', async () => {
  const list = `[${'{},'.repeat(100_000)}{}]`;
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const flow = `{"start":"a","steps":[],"note":${list}}`;
  const { queries, store } = fakeStore(Object.fromEntries(ids.map((id) => [id, flow])));
  const cache = new FlowCache();
  // Each flow takes about nine megabytes, and the cache holds 32 megabytes: three flows.
  for (const id of ids) expect((await cache.loadOne(store, id))?.weight).toBeGreaterThan(8 * 1_048_576);
  expect([...(await cache.load(store, ids)).keys()]).toEqual(['c', 'd', 'e']);
  expect(queries.at(-1)).toEqual(['a', 'b']);
});

test.each([
  ['a sensitive row', { rows: [{ name: 'salary', mode: 'Fixo', value: '1', sensitive: true }] }, true],
  ['a sensitive field of a mapping', { mapping: { salary: { mode: 'Fixo', value: '1', sensitive: true } } }, true],
  ['no sensitive value', { mapping: { salary: { mode: 'Fixo', value: '1' } } }, false],
])('the content of a flow says whether the flow has sensitive values: %s', (_, fields, expected) => {
  const step = { name: 'a', type: 'rest', method: 'GET', url: 'https://example.com/{{salary}}', ...fields };
  expect(contentOf(JSON.stringify({ start: 'a', steps: [step] }))).toMatchObject({ hasSensitiveValues: expected });
});
