import { pointerOf, segmentsOf, valueAt, withValueAt } from './pointer';

const json = { 'a/b': { 'c~': [1, { d: 2 }] } };

test('a JSON Pointer is parsed and written with its escapes', () => {
  expect(segmentsOf('/a~1b/c~0/1')).toEqual(['a/b', 'c~', '1']);
  expect(pointerOf(['a/b', 'c~', 1])).toBe('/a~1b/c~0/1');
  expect(segmentsOf('')).toEqual([]);
});

test('a JSON Pointer reads a value by own keys only', () => {
  expect(valueAt(json, '/a~1b/c~0/1/d')).toBe(2);
  expect(valueAt(json, '/constructor')).toBeUndefined();
  expect(valueAt(json, '/a~1b/x/y')).toBeUndefined();
  expect(valueAt(json, '')).toBe(json);
});

test('a JSON Pointer replaces, adds and removes a value in a copy, which keeps the order of keys', () => {
  expect(withValueAt(json, '/a~1b/c~0/1/d', 3)).toEqual({
    'a/b': { 'c~': [1, { d: 3 }] },
  });
  expect(withValueAt(json, '/a~1b/c~0/0', undefined)).toEqual({
    'a/b': { 'c~': [{ d: 2 }] },
  });
  expect(withValueAt(json, '/a~1b/c~0/9', 3)).toEqual({
    'a/b': { 'c~': [1, { d: 2 }, 3] },
  });
  expect(withValueAt({}, '/form/fields/x', '1')).toEqual({
    form: { fields: { x: '1' } },
  });
  expect(JSON.stringify(withValueAt({ a: 1, b: 2 }, '/a', 3))).toBe('{"a":3,"b":2}');
  expect(withValueAt({ a: 1, b: 2 }, '/b', undefined)).toEqual({ a: 1 });
  expect(json).toEqual({ 'a/b': { 'c~': [1, { d: 2 }] } });
});

test.each([
  ['no key on the way', {}, '/a/b'],
  ['a key on the way that is no object', { a: 1 }, '/a/b'],
  ['no such item', { a: [1] }, '/a/1'],
  ['no JSON', undefined, '/a'],
])('to remove the value at a JSON Pointer changes nothing where there is %s', (_what, without, pointer) => {
  expect(withValueAt(without, pointer, undefined)).toEqual(without);
});

test('a JSON Pointer sets a key named __proto__ like any other', () => {
  const changed = withValueAt({}, '/__proto__', { polluted: true });
  expect(Object.keys(Object(changed))).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
});
