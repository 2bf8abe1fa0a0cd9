import { JsonThread, RawJson } from '@batuta/json';
import { fingerprint } from './fingerprint';

const thread = new JsonThread();
afterAll(() => thread.close());

test.each([
  [{ matrix: { a: 1, b: { c: 2, d: [1] } } }, { matrix: { b: { d: [1], c: 2 }, a: 1 } }],
  [{}, { matrix: {} }],
])('%j and %j mean the same', async (one, other) =>
  expect(await fingerprint(one, thread)).toBe(await fingerprint(other, thread)),
);

test.each([
  [{ matrix: { a: 1 } }, { matrix: { a: '1' } }],
  [{ matrix: { a: [1, 2] } }, { matrix: { a: [2, 1] } }],
  [{ matrix: {} }, { matrix: {}, environmentID: 'e' }],
  [{ matrix: JSON.parse('{"__proto__":1}') }, { matrix: {} }],
])('%j and %j differ', async (one, other) =>
  expect(await fingerprint(one, thread)).not.toBe(await fingerprint(other, thread)),
);

test('values that stand as text have the fingerprint of the values', async () => {
  const list = [{ b: 'é"', a: [1, null] }, {}, { __proto__: null, z: {} }];
  const matrix = { list: new RawJson(JSON.stringify(list)), a: 1 };
  expect(await fingerprint({ matrix }, thread)).toBe(await fingerprint({ matrix: { a: 1, list } }, thread));
});
