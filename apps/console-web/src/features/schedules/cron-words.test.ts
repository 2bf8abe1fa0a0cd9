import { cronWords, isEitherDay } from './cron-words';

test.each([
  ['0 8 * * MON-FRI', 'At 08:00, Monday through Friday', 'Às 08:00, de segunda-feira a sexta-feira'],
  ['*/15 * * * *', 'Every 15 minutes', 'A cada 15 minutos'],
  [
    '0 0 1 JAN,jul *',
    'At 00:00, on day 1 of the month, only in January and July',
    'Às 00:00, no dia 1 do mês, somente em janeiro e julho',
  ],
  ['0 0 * * 7', 'At 00:00, only on Sunday', 'Às 00:00, somente de domingo'],
])('the cron expression %s is written as %s', async (expression, english, portuguese) => {
  expect(await cronWords(expression, 'en')).toBe(english);
  expect(await cronWords(expression, 'pt-BR')).toBe(portuguese);
});

test.each([
  ['0 0 13 * 5', true, 'At 00:00, on day 13 of the month, and on Friday'],
  ['0 0 */2 * 1', false, 'At 00:00, every 2 days in a month, only on Monday'],
])('a day of %s may match either field: %s', async (expression, either, words) => {
  expect(isEitherDay(expression)).toBe(either);
  expect(await cronWords(expression, 'en')).toBe(words);
});

test('a text that is not an expression has no words', async () => {
  expect(await cronWords('every day', 'en')).toBeUndefined();
});
