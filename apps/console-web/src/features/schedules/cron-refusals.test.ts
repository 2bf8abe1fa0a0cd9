import { CallError } from '../../api/error';
import { errorText } from '../../common/message-text';
import { i18n } from '../../i18n/instance';
import { CRON_REFUSALS, throwTranslated } from './cron-refusals';
import english from './locales/en.json';
import portuguese from './locales/pt-BR.json';

beforeAll(() =>
  i18n.init({
    lng: 'pt-BR',
    interpolation: { escapeValue: false },
    resources: { 'pt-BR': { schedules: portuguese }, en: { schedules: english } },
  }),
);

/** The refusal as the pages show it. */
function refusalOf(text: string): CallError {
  const refusal = new CallError(400, 'INVALID_CRON', `cronExpression: ${text}`);
  expect(() => throwTranslated(refusal)).toThrow(refusal);
  return refusal;
}

test.each([
  [
    'the field "minute" takes 0 to 59, not 60',
    'o campo "minuto" aceita de 0 a 59, não 60',
    'the field "minute" takes 0 to 59, not 60',
  ],
  [
    'the field "day of week" has "monday"; it takes 0 to 7 or sun to sat in forms such as 5, 1-5, *, */2 and 1-5/2, separated by commas',
    'o campo "dia da semana" tem "monday"; ele aceita de 0 a 7 ou de sun a sat em formas como 5, 1-5, *, */2 e 1-5/2, separadas por vírgulas',
    'the field "day of week" has "monday"; it takes 0 to 7 or sun to sat in forms such as 5, 1-5, *, */2 and 1-5/2, separated by commas',
  ],
  [
    'the field "hour" has ""; it takes 0 to 23 in forms such as 5, 1-5, *, */2 and 1-5/2, separated by commas',
    'o campo "hora" tem ""; ele aceita de 0 a 23 em formas como 5, 1-5, *, */2 e 1-5/2, separadas por vírgulas',
    'the field "hour" has ""; it takes 0 to 23 in forms such as 5, 1-5, *, */2 and 1-5/2, separated by commas',
  ],
  [
    'the field "minute" has the step 0, which is not from 1 to 60',
    'o campo "minuto" tem o passo 0, que não está entre 1 e 60',
    'the field "minute" has the step 0, which is not from 1 to 60',
  ],
  [
    'the field "day of week" has the range "FRI-MON", which begins after its end',
    'o campo "dia da semana" tem o intervalo "FRI-MON", que começa depois do seu fim',
    'the field "day of week" has the range "FRI-MON", which begins after its end',
  ],
  [
    'the field "month" has "JAN/2", whose step follows neither * nor a range',
    'o campo "mês" tem "JAN/2", cujo passo não vem depois de * nem de um intervalo',
    'the field "month" has "JAN/2", whose step follows neither * nor a range',
  ],
])(
  'the refusal "%s" of a cron expression is shown in the language of the user',
  async (text, inPortuguese, inEnglish) => {
    await i18n.changeLanguage('pt-BR');
    const refusal = refusalOf(text);
    expect(errorText(refusal)).toBe(`cronExpression: ${inPortuguese}`);
    await i18n.changeLanguage('en');
    expect(errorText(refusal)).toBe(`cronExpression: ${inEnglish}`);
  },
);

test('each refusal of a cron expression has a translation in both languages', () => {
  for (const { rules } of [english, portuguese]) expect(Object.keys(rules)).toEqual(Object.keys(CRON_REFUSALS));
});
