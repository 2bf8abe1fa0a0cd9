import { childrenOf, payloadTextOf, pointerTo, previewTextOf } from './payload';

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

test('a long value of a payload is cut after 80 characters', () => {
  expect(payloadTextOf('x'.repeat(500))).toHaveLength(81);
  expect(payloadTextOf({ a: 1 })).toBe('{"a":1}');
});

test('a preview shows an amount of money as the run form does, and any other value as JSON', () => {
  expect([previewTextOf('Moeda', 12.5), previewTextOf('Texto', '12.5'), previewTextOf(undefined, 12.5)]).toEqual([
    'R$ 12,50',
    '"12.5"',
    '12.5',
  ]);
});
