import { formatsIn } from './formats';
import { languageOf } from './languages';

test.each([
  ['pt-BR', 'pt-BR'],
  ['pt', 'pt-BR'],
  ['PT-pt', 'pt-BR'],
  ['en-GB', 'en'],
  ['de', undefined],
  [null, undefined],
])('a browser with the language %s shows the pages in %s', (tag, language) => {
  expect(languageOf(tag)).toBe(language);
});

test('numbers have the format of the language', () => {
  expect([formatsIn('pt-BR').number(1234.5), formatsIn('en').number(1234.5)]).toEqual(['1.234,5', '1,234.5']);
});

test.each([
  [0, '0 ms'],
  [350, '350 ms'],
  [5_000, '5 sec'],
  [60_000, '1 min'],
  [65_400, '1 min 5 sec'],
  [3_600_000 + 120_000 + 9_000, '1 hr 2 min'],
])('a duration of %d milliseconds is written as %s', (milliseconds, text) => {
  expect(formatsIn('en').duration(milliseconds)).toBe(text);
});

test('a formatter is created once per language and options', () => {
  const made = jest.spyOn(Intl, 'DateTimeFormat');
  const texts = [1, 2, 3].map(() => formatsIn('es').dateTime(0));
  expect([new Set(texts).size, made.mock.calls.length]).toEqual([1, 1]);
  made.mockRestore();
});
