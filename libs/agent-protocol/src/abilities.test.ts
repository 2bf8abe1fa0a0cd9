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

test.each([
  ['["rest"]', ['rest']],
  ['{}', []],
  ['[1,"wait"]', ['wait']],
])('the stored list %s is read as %j', (text, list) => expect(Abilities.parse(text).list).toEqual(list));

describe('the sentence about missing abilities', () => {
  const needed = ['browser', 'email', 'ocr'];

  test.each<[agents: string[][], needs: string[], sentence: string]>([
    [[], ['browser'], 'No connected agent of the environment "Robots" runs browser steps'],
    [[['wait']], ['mapping'], 'No connected agent of the environment "Robots" knows the mapping of a step'],
    [
      [['wait'], ['rest']],
      needed,
      'No connected agent of the environment "Robots" runs browser and email steps and reads the text of pictures',
    ],
    [[['wait'], ['browser', 'ocr']], needed, 'No connected agent of the environment "Robots" runs email steps'],
  ])('of the agents %j for the needs %j names what none of them does', (agents, needs, sentence) => {
    const abilities = agents.map((names) => agentAbilities(...names));
    expect(missingAbilitiesPhrase('Robots', abilities, needs)).toBe(sentence);
  });

  test('of agents that lack different abilities says that no single one has all of them', () => {
    const agents = [agentAbilities('rest', 'email', 'ocr'), agentAbilities('rest', 'browser')];
    expect(missingAbilitiesPhrase('Robots', agents, ['browser', 'email', 'ocr', 'rest'])).toBe(
      'No single connected agent of the environment "Robots" runs browser and email steps and reads the text of pictures',
    );
  });

  test('is not there when an agent has every needed ability', () => {
    const agents = [agentAbilities('rest'), agentAbilities(...needed)];
    expect(missingAbilitiesPhrase('Robots', agents, needed)).toBeUndefined();
    expect(missingAbilitiesPhrase('Robots', agents, [])).toBeUndefined();
    expect(missingAbilitiesPhrase('Robots', [], [])).toBeUndefined();
  });
});
