import { EXTRA_FLOW_ABILITIES, STEP_TYPES } from '@batuta/flow';
import { createInstance } from 'i18next';
import english from '../flow-editor/locales/en.json';
import portuguese from '../flow-editor/locales/pt-BR.json';
import englishOwn from './locales/en.json';
import portugueseOwn from './locales/pt-BR.json';
import { abilityName } from './ability-name';

const i18n = createInstance({
  resources: {
    'pt-BR': { 'flow-editor': portuguese, environments: portugueseOwn },
    en: { 'flow-editor': english, environments: englishOwn },
  },
});
beforeAll(() => i18n.init());

const nameIn = (language: string, ability: string) => abilityName(ability, i18n.getFixedT(language, 'environments'));

test.each([...Object.values(STEP_TYPES).map(({ ability }) => ability), ...Object.values(EXTRA_FLOW_ABILITIES)])(
  'the ability %s of an agent has a name in each language',
  (ability) => {
    for (const language of ['pt-BR', 'en']) expect(nameIn(language, ability)).not.toBe('');
  },
);

test('an ability has the name of its step type, and an ability of a later release has none', () => {
  expect(nameIn('pt-BR', 'rest')).toBe('Chamada HTTP');
  expect(nameIn('pt-BR', 'teleport')).toBe('');
});
