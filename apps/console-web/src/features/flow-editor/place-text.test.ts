import commonPortuguese from '../../common/locales/pt-BR.json';
import { i18n } from '../../i18n/instance';
import portuguese from './locales/pt-BR.json';
import { placeText, warningText } from './place-text';

beforeAll(() =>
  i18n.init({
    lng: 'pt-BR',
    defaultNS: 'common',
    interpolation: { escapeValue: false },
    resources: { 'pt-BR': { common: commonPortuguese, 'flow-editor': portuguese } },
  }),
);

const texts = () => i18n.getFixedT('pt-BR', 'flow-editor');
const flow = {
  start: 'Chamar',
  steps: [
    { name: 'Chamar', type: 'rest' },
    { name: 'Calcular', type: 'script' },
  ],
};

test.each([
  ['script', 'Passo › Código'],
  ['webhookResponse', 'Passo › Código HTTP'],
])('the field code of a %s step is called as in its form: %s', (type, text) => {
  expect(placeText(texts(), { step: 'Passo', type, field: '/code' })).toBe(text);
});

test.each([
  [
    'No connected agent of the environment "Robots" runs browser steps.',
    'Nenhum agente conectado do ambiente "Robots" executa passos browser.',
  ],
  [
    '/steps/0/url: {{a}} stays text, because the step maps no field "a".',
    'Chamar › Endereço (URL): {{a}} continua como texto, porque o passo não tem o campo "a".',
  ],
  [
    '/steps/1/mapping/a b: no text of the step has {{a b}}, so this value is not used.',
    'Calcular › Campos dos textos › a b: nenhum texto do passo tem {{a b}}, por isso este valor não é usado.',
  ],
  ['/steps/9/url: is malformed.', 'Passos › 10 › Endereço (URL): está malformado.'],
  ['flow: is malformed.', 'Fluxo: está malformado.'],
])('a warning of a publication names its place in words: %s', (sentence, text) => {
  expect(warningText(texts(), flow, sentence)).toBe(text);
});
