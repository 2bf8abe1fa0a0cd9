import { Abilities, missingAbilitiesPhrase } from '@batuta/agent-protocol';
import { TEXT_OF_FEATURE } from '../../../libs/agent-protocol/src/abilities';
import { FEATURES, missingAbilitiesText } from '../../../apps/console-web/src/common/missing-abilities';
import english from '../../../apps/console-web/src/common/locales/en.json';
import portuguese from '../../../apps/console-web/src/common/locales/pt-BR.json';
import { i18n } from '../../../apps/console-web/src/i18n/instance';

beforeEach(() =>
  i18n.init({
    lng: 'pt-BR',
    defaultNS: 'common',
    resources: { 'pt-BR': { common: portuguese }, en: { common: english } },
    interpolation: { escapeValue: false },
  }),
);

const MISSING: [missing: string[], lacks: string][] = [
  [['browser'], 'executa passos browser'],
  [['email', 'rest', 'ocr'], 'executa passos email e rest e lê o texto de imagens'],
  [['browser', 'email', 'rest'], 'executa passos browser, email e rest'],
  [['mapping'], 'conhece os campos dos passos'],
  [['wait', 'sealedValues'], 'executa passos wait e tem uma chave para receber valores secretos'],
];

test.each(MISSING)('the missing abilities %j are named in the language of the user', (missing, lacks) => {
  expect(missingAbilitiesText(phraseWithoutAgent('Robôs "B"', missing))).toBe(
    `Nenhum agente conectado do ambiente "Robôs "B"" ${lacks}`,
  );
});

test.each([...MISSING.map(([missing]) => [missing]), ...Object.keys(FEATURES).map((feature) => [[feature]])])(
  'the English text about the missing abilities is the one that the product writes: %j',
  async (missing) => {
    const phrase = phraseWithoutAgent('Robots', missing);
    await i18n.changeLanguage('en');
    expect(missingAbilitiesText(phrase)).toBe(phrase);
  },
);

test.each([
  ['pt-BR', 'Nenhum agente conectado do ambiente "Robots", sozinho, executa passos browser e email'],
  ['en', 'No single connected agent of the environment "Robots" runs browser and email steps'],
])('abilities that only different agents have are named in the language %s', async (language, text) => {
  const agents = [Abilities.announced(['browser']), Abilities.announced(['email'])];
  await i18n.changeLanguage(language);
  expect(missingAbilitiesText(missingAbilitiesPhrase('Robots', agents, ['browser', 'email']) ?? '')).toBe(text);
});

test('the page knows each ability that is not a step type', () => {
  expect(FEATURES).toEqual(TEXT_OF_FEATURE);
});

test.each([
  'No connected agent of the environment "Robots" has wings',
  'No connected agent of the environment "Robots" runs rest steps, reads the text of pictures, and has wings',
])('a message with an ability that the page does not know stays as the API wrote it: %s', (message) => {
  expect(missingAbilitiesText(message)).toBeUndefined();
});

test('any other message is not about missing abilities', () => {
  expect(missingAbilitiesText('must not be empty')).toBeUndefined();
});

/** The sentence about an environment whose agents have none of these abilities. */
function phraseWithoutAgent(environment: string, missing: readonly string[]): string {
  return missingAbilitiesPhrase(environment, [], missing) ?? '';
}
