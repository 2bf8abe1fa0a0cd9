import { Abilities } from './abilities';

const able = (...names: string[]) => Abilities.announced(names);

test('an agent that announces no list runs the step types of the release before the list counted', () => {
  const older = Abilities.announced(undefined);
  expect(older.list).toEqual(['rest', 'script', 'variables', 'wait', 'webhookResponse']);
  expect(Abilities.announced([]).list).toEqual([]);
});

test('the order and repetition of abilities make no difference', () => {
  expect(able('wait', 'rest', 'wait').key).toBe(able('rest', 'wait').key);
  expect(able('rest').key).not.toBe(able('rest', 'wait').key);
  const many = Array.from({ length: 50 }, (_, index) => `${'x'.repeat(38)}${index}`);
  expect(able(...many).key).toBe(able(...many.toReversed()).key);
  expect(able(...many).key).toHaveLength(44);
});

test('an agent covers what it has all of', () => {
  expect(able('rest', 'wait').covers(['wait'])).toBe(true);
  expect(able().covers([])).toBe(true);
  expect(able('rest').covers(['rest', 'wait'])).toBe(false);
});

test('of several agents the one that lacks the fewest says what is missing', () => {
  const needed = ['browser', 'email', 'rest'];
  expect(Abilities.leastMissing([able('rest'), able('browser', 'email')], needed)).toEqual(['rest']);
  expect(Abilities.leastMissing([able('rest'), able(...needed)], needed)).toEqual([]);
  expect(Abilities.leastMissing([], needed)).toEqual(needed);
});

test.each([
  ['["rest"]', ['rest']],
  ['{}', []],
  ['[1,"wait"]', ['wait']],
])('the stored list %s is read as %j', (text, list) => expect(Abilities.parse(text).list).toEqual(list));
