import { childrenOf, pointerTo, payloadTextOf } from './payload';

test('a pointer escapes the slashes and tildes of names', () => {
  expect(pointerTo('/order', 'a/b~c')).toBe('/order/a~1b~0c');
});

test('fields of objects and items of lists have pointers', () => {
  expect(childrenOf({ total: 1, '': null }, '/order').map(({ pointer }) => pointer)).toEqual([
    '/order/total',
    '/order/',
  ]);
  expect(childrenOf(['x'], '/items')).toEqual([{ name: '0', pointer: '/items/0', value: 'x' }]);
});

test('a text and null in a payload have no fields', () => {
  expect(childrenOf('abc', '')).toEqual([]);
  expect(childrenOf(null, '')).toEqual([]);
});

test('a long value is cut', () => {
  expect(payloadTextOf('x'.repeat(500))).toHaveLength(81);
  expect(payloadTextOf({ a: 1 })).toBe('{"a":1}');
});
