import { JsonThread, RawJson } from '@batuta/json';
import { fingerprintOf } from './fingerprint';

const thread = new JsonThread();
afterAll(() => thread.close());

test.each([
  [{ matrix: { a: 1, b: { c: 2, d: [1] } } }, { matrix: { b: { d: [1], c: 2 }, a: 1 } }],
  [{}, { matrix: {} }],
])('the bodies %j and %j have the same fingerprint', async (one, other) =>
  expect(await fingerprintOf(one, thread)).toBe(await fingerprintOf(other, thread)),
);

test.each([
  [{ matrix: { a: 1 } }, { matrix: { a: '1' } }],
  [{ matrix: { a: [1, 2] } }, { matrix: { a: [2, 1] } }],
  [{ matrix: {} }, { matrix: {}, environmentID: 'e' }],
  [{ matrix: JSON.parse('{"__proto__":1}') }, { matrix: {} }],
])('the bodies %j and %j have different fingerprints', async (one, other) =>
  expect(await fingerprintOf(one, thread)).not.toBe(await fingerprintOf(other, thread)),
);

test('values that are sent as JSON text have the fingerprint of the parsed values', async () => {
  const list = [{ b: 'é"', a: [1, null] }, {}, { __proto__: null, z: {} }];
  const matrix = { list: new RawJson(JSON.stringify(list)), a: 1 };
  expect(await fingerprintOf({ matrix }, thread)).toBe(await fingerprintOf({ matrix: { a: 1, list } }, thread));
});
