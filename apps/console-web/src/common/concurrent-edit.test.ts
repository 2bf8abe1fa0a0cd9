import { changesOf, conflictsOf, withEdit } from './concurrent-edit';

const INITIAL = { name: 'Orders', days: 30, values: { a: 1, b: [1, 2] } };

test('a change has only the fields that the user changed, whatever the order of the names in a value', () => {
  expect(changesOf(INITIAL, { name: 'Bills', days: 30, values: { b: [1, 2], a: 1 } })).toEqual({ name: 'Bills' });
  expect(changesOf(INITIAL, { ...INITIAL, values: { a: 1, b: [2, 1] } })).toEqual({ values: { a: 1, b: [2, 1] } });
  expect(changesOf(INITIAL, INITIAL)).toEqual({});
});

test.each<[string, object, object, object]>([
  ['the saved state is the one that the form was opened with', {}, {}, {}],
  ['somebody else has changed another field', { days: 7 }, {}, {}],
  ['both have changed the field to the same value', { name: 'Bills' }, {}, {}],
  ['somebody else has changed the same field', { name: 'Theirs' }, {}, { name: 'Theirs' }],
  ['the user has read the saved value', { name: 'Theirs' }, { name: 'Theirs' }, {}],
  [
    'somebody else has changed the field once more',
    { name: 'Theirs again' },
    { name: 'Theirs' },
    { name: 'Theirs again' },
  ],
])('the conflicts of a change of the name are found where %s', (_, saved, seen, expected) => {
  const conflicts = conflictsOf({ name: 'Bills' }, { ...INITIAL, ...saved }, INITIAL, { ...INITIAL, ...seen });
  expect(conflicts).toEqual(expected);
});

test.each<[string, string[], string[]]>([
  ['is applied to what was saved', ['a', 'b'], ['b', 'c']],
  ['keeps what somebody else has added', ['a', 'b', 'd'], ['b', 'd', 'c']],
  ['does not bring back what somebody else has removed', ['a'], ['c']],
  ['adds nothing twice', ['a', 'b', 'c'], ['b', 'c']],
])('an edit of a list that removes a and adds c %s', (_, saved, expected) => {
  expect(withEdit(saved, ['a', 'b'], ['b', 'c'])).toEqual(expected);
});
