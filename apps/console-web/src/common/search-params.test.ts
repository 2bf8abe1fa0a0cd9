import { flag, oneOf, searchParams, text } from './search-params';

const read = searchParams({ q: text, state: oneOf(['active', 'paused']), mine: flag });

test('valid filters of a URL are kept, and all other parameters are dropped', () => {
  expect(read({ q: 'notas', state: 'active', mine: 'true', other: 1 })).toEqual({
    q: 'notas',
    state: 'active',
    mine: true,
  });
  expect(read({ q: '', state: '<img>', mine: 'yes' })).toEqual({});
  expect(read({ q: 42, state: ['active'], mine: {} })).toEqual({ q: '42' });
});
