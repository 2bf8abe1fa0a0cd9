import { oneOf, searchParams, someOf, text } from './search-params';

const read = searchParams({ q: text, state: oneOf(['active', 'paused']) });

test('valid filters of a URL are kept, and all other parameters are dropped', () => {
  expect(read({ q: 'notas', state: 'active', other: 1 })).toEqual({ q: 'notas', state: 'active' });
  expect(read({ q: '', state: '<img>' })).toEqual({});
  expect(read({ q: 42, state: ['active'] })).toEqual({ q: '42' });
});

test('several words of a URL are read in the order of the known words, and unknown ones are dropped', () => {
  const state = someOf(['active', 'paused', 'off']);
  expect(state('off,active,<img>')).toBe('active,off');
  expect([state('<img>'), state(''), state(5), state(undefined)]).toEqual(Array(4).fill(undefined));
});
