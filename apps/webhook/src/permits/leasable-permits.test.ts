import { permitsToLease, type HeldPermits } from './leasable-permits';

const heldPermits = (holder: string, places: number, turn = 1): HeldPermits => ({ holder, places, turn });

test.each<[string, number, HeldPermits[], number]>([
  ['all requested permits that fit', 3, [], 3],
  ['at most the limit', 9, [], 5],
  ['the permits that other holders leave', 3, [heldPermits('b', 2), heldPermits('c', 1)], 2],
  ['the permits that those of its holder leave', 3, [heldPermits('a', 4)], 1],
  ['none when all are held', 1, [heldPermits('a', 2), heldPermits('b', 3)], 0],
  ['none when more than the limit are held', 1, [heldPermits('b', 7)], 0],
  ['none to a request that a later one has overtaken', 1, [heldPermits('a', 1, 3)], 0],
  ['permits despite later turns of other holders', 1, [heldPermits('b', 1, 3)], 1],
])('permitsToLease leases %s', (_, want, rows, leased) => {
  expect(permitsToLease({ holder: 'a', turn: 2, want }, rows, 5)).toBe(leased);
});
