import { Abilities, missingAbilitiesPhrase } from './abilities';

const agentAbilities = (...names: string[]) => Abilities.announced(names);

test('an agent that announces no list has the abilities of the releases that had no such list', () => {
  const older = Abilities.announced(undefined);
  expect(older.list).toEqual(['rest', 'script', 'variables', 'wait', 'webhookResponse']);
  expect(Abilities.announced([]).list).toEqual([]);
});

test('the order and repetition of abilities make no difference', () => {
  expect(agentAbilities('wait', 'rest', 'wait').key).toBe(agentAbilities('rest', 'wait').key);
  expect(agentAbilities('rest').key).not.toBe(agentAbilities('rest', 'wait').key);
  const many = Array.from({ length: 50 }, (_, index) => `${'x'.repeat(38)}${index}`);
  expect(agentAbilities(...many).key).toBe(agentAbilities(...many.toReversed()).key);
  expect(agentAbilities(...many).key).toHaveLength(44);
});

test('an agent covers needs when it has every needed ability', () => {
  expect(agentAbilities('rest', 'wait').covers(['wait'])).toBe(true);
  expect(agentAbilities().covers([])).toBe(true);
  expect(agentAbilities('rest').covers(['rest', 'wait'])).toBe(false);
});

test('the abilities that are reported as missing are those of the agent that lacks the fewest', () => {
  const needed = ['browser', 'email', 'rest'];
  expect(Abilities.leastMissing([agentAbilities('rest'), agentAbilities('browser', 'email')], needed)).toEqual([
    'rest',
  ]);
  expect(Abilities.leastMissing([agentAbilities('rest'), agentAbilities(...needed)], needed)).toEqual([]);
  expect(Abilities.leastMissing([], needed)).toEqual(needed);
});

test.each([
  ['["rest"]', ['rest']],
  ['{}', []],
  ['[1,"wait"]', ['wait']],
])('the stored list %s is read as %j', (text, list) => expect(Abilities.parse(text).list).toEqual(list));

test.each([
  [['browser'], 'runs browser steps'],
  [['email', 'rest', 'ocr'], 'runs email and rest steps and reads the text of pictures'],
  [['mapping'], 'knows the mapping of a step'],
])('the sentence about the missing abilities %j says what no connected agent does', (missing, lacks) => {
  expect(missingAbilitiesPhrase('Robots', missing)).toBe(`No connected agent of the environment "Robots" ${lacks}`);
});
