import { fingerprint } from './fingerprint';

test.each([
  [{ matrix: { a: 1, b: { c: 2, d: [1] } } }, { matrix: { b: { d: [1], c: 2 }, a: 1 } }],
  [{}, { matrix: {} }],
])('%j and %j mean the same', (one, other) => expect(fingerprint(one)).toBe(fingerprint(other)));

test.each([
  [{ matrix: { a: 1 } }, { matrix: { a: '1' } }],
  [{ matrix: { a: [1, 2] } }, { matrix: { a: [2, 1] } }],
  [{ matrix: {} }, { matrix: {}, environmentID: 'e' }],
  [{ matrix: JSON.parse('{"__proto__":1}') }, { matrix: {} }],
])('%j and %j differ', (one, other) => expect(fingerprint(one)).not.toBe(fingerprint(other)));
