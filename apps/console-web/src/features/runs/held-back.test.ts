import { holdBack } from './held-back';

const keyOf = (row: string) => row;

test('rows of a list that arrive above the first shown row are held back', () => {
  expect(holdBack(['d', 'c', 'b', 'a'], keyOf, 'b')).toEqual({ shown: ['b', 'a'], waiting: 2 });
});

test.each([undefined, 'c', 'gone'])(
  'no row of a list is held back above "%s", which is the first row or not in the list',
  (top) => {
    expect(holdBack(['c', 'b'], keyOf, top)).toEqual({ shown: ['c', 'b'], waiting: 0 });
  },
);
