import { grantPlaces } from './places';

const asked = (...instanceIDs: string[]) => instanceIDs.map((instanceID) => ({ instanceID, originID: 'o' }));
const origins = new Set(['o']);

test.each<[string, string[], string[], number, boolean[]]>([
  ['all that fit', ['a', 'b'], [], 2, [true, true]],
  ['the first that fit', ['a', 'b', 'c'], [], 2, [true, true, false]],
  ['what is left of the places', ['a', 'b'], ['x'], 2, [true, false]],
  ['none when all are taken', ['a'], ['x', 'y'], 2, [false]],
  ['one to a call that asks twice', ['a', 'a', 'b'], [], 2, [true, true, true]],
  ['its own again to a call that has one', ['x', 'a'], ['x', 'y'], 2, [true, false]],
  ['none when more are taken than there are', ['a', 'x'], ['x', 'y', 'z'], 2, [false, true]],
])('grants %s', (_, calls, held, places, expected) => {
  expect(grantPlaces(asked(...calls), { origins, held: new Set(held), places })).toEqual(expected);
});

test('grants none to a call of an origin that is gone', () => {
  const calls = [{ instanceID: 'a', originID: 'gone' }, ...asked('b')];
  expect(grantPlaces(calls, { origins, held: new Set(), places: 1 })).toEqual([false, true]);
});
