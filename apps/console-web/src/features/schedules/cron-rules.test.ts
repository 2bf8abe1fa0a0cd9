import { CallError } from '../../api/error';
import { i18n } from '../../i18n/instance';
import { CRON_RULES, throwTranslated } from './cron-rules';
import english from './locales/en.json';
import portuguese from './locales/pt-BR.json';

beforeAll(() =>
  i18n.init({
    lng: 'pt-BR',
    interpolation: { escapeValue: false },
    resources: { 'pt-BR': { schedules: portuguese }, en: { schedules: english } },
  }),
);

const throwRefusal = (said: string) => () =>
  throwTranslated(new CallError(400, 'INVALID_CRON', `cronExpression: ${said}`));

test.each([
  [
    'the field "minute" takes 0 to 59, not 60',
    'o campo "minuto" aceita de 0 a 59, não 60',
    'the field "minute" takes 0 to 59, not 60',
  ],
  [
    'the field "day of week" holds what cron does not know',
    'o campo "dia da semana" contém algo que o cron não conhece',
    'the field "day of week" holds what cron does not know',
  ],
  [
    'the field "hour" has "1-2-3", which is no value, range or step',
    'o campo "hora" tem "1-2-3", que não é um valor, um intervalo nem um passo',
    'the field "hour" has "1-2-3", which is no value, range or step',
  ],
  [
    'the field "hour" has "", which is no value, range or step',
    'o campo "hora" tem "", que não é um valor, um intervalo nem um passo',
    'the field "hour" has "", which is no value, range or step',
  ],
  [
    'the field "day of week" has the range "FRI-MON", which begins after its end',
    'o campo "dia da semana" tem o intervalo "FRI-MON", que começa depois do seu fim',
    'the field "day of week" has the range "FRI-MON", which begins after its end',
  ],
  [
    "Syntax error, stepping with numeric prefix ('5/2') is not allowed. Use wildcard (*/step) or range (min-max/step) instead.",
    'um passo vem depois de * ou de um intervalo, não de um só valor como em "5/2"',
    'a step follows * or a range, not a single value as in "5/2"',
  ],
])('the refusal "%s" of a cron expression is in the language of the user', async (said, inPortuguese, inEnglish) => {
  await i18n.changeLanguage('pt-BR');
  expect(throwRefusal(said)).toThrow(`cronExpression: ${inPortuguese}`);
  await i18n.changeLanguage('en');
  expect(throwRefusal(said)).toThrow(`cronExpression: ${inEnglish}`);
});

test('each rule has a translation in both languages', () => {
  for (const { rules } of [english, portuguese]) expect(Object.keys(rules)).toEqual(Object.keys(CRON_RULES));
});
