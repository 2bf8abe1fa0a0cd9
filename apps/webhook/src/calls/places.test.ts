import { grantPlaces, type HeldPlaces } from './places';

const held = (holder: string, places: number, turn = 1): HeldPlaces => ({ holder, places, turn });

test.each<[string, number, HeldPlaces[], number]>([
  ['all that fit', 3, [], 3],
  ['as many as there are', 9, [], 5],
  ['what others leave', 3, [held('b', 2), held('c', 1)], 2],
  ['what is left beside its own', 3, [held('a', 4)], 1],
  ['none when all are taken', 1, [held('a', 2), held('b', 3)], 0],
  ['none when more are taken than there are', 1, [held('b', 7)], 0],
  ['none to a request that was overtaken', 1, [held('a', 1, 3)], 0],
  ['some whatever the turns of others', 1, [held('b', 1, 3)], 1],
])('grants %s', (_, want, rows, granted) => {
  expect(grantPlaces({ holder: 'a', turn: 2, want }, rows, 5)).toBe(granted);
});
