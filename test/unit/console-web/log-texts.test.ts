import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BECAUSE, LOG_TEXTS, logText } from '../../../apps/console-web/src/features/runs/log-texts';
import { i18n } from '../../../apps/console-web/src/i18n/instance';
import english from '../../../apps/console-web/src/features/runs/locales/en.json';
import portuguese from '../../../apps/console-web/src/features/runs/locales/pt-BR.json';

const ROOT = join(__dirname, '../../..');
const texts = Object.entries({ because: BECAUSE, ...LOG_TEXTS.INFO, ...LOG_TEXTS.WARNING, ...LOG_TEXTS.ERROR });

beforeEach(() =>
  i18n.init({
    lng: 'pt-BR',
    resources: { 'pt-BR': { runs: portuguese }, en: { runs: english } },
    interpolation: { escapeValue: false },
  }),
);

/** The code composes a text of parts: values, plural forms, and a reason or a subject of its own. */
const PART_END = /\{\{\w+\}\}|\b1\b|\b(?:step|action)s?\b|(?<=because )|:|(?= gave)/;

/** The source files that write lines of the log and errors of runs. */
const sources = globSync('apps/{agent,execution}/src/**/*.ts', { cwd: ROOT })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(ROOT, file), 'utf8'));

// If the agent changes a text, it appears in English on Portuguese pages.
test.each(texts)('the product still writes the text of the log that the translation "%s" expects', (_, text) => {
  const parts = text.split(PART_END).map((part) => part.trim());
  expect(sources.some((code) => parts.every((part) => code.includes(part)))).toBe(true);
});

test('the English text of each line of the log is the one that the product writes', () => {
  expect(english.logTexts).toEqual(Object.fromEntries(texts));
});

test.each([
  ['INFO', 'started', 'começou'],
  ['INFO', 'goes on to "Pagar"', 'segue para "Pagar"'],
  ['INFO', 'goes on to "b", because {n} > 1 holds', 'segue para "b", porque {n} > 1 vale'],
  ['INFO', 'The execution ended without error after 12 steps', 'A execução terminou sem erro depois de 12 passos'],
  ['INFO', 'GET https://a.example/x answered 200 in 31 ms', 'GET https://a.example/x respondeu 200 em 31 ms'],
  [
    'INFO',
    'postgres: 2 statements gave 7 rows and changed 1, in 4 ms',
    'postgres: 2 comandos deram 7 linhas e alteraram 1, em 4 ms',
  ],
  ['WARNING', 'no answer; attempt 2 of 3 in 1.5 s', 'no answer; tentativa 2 de 3 em 1.5 s'],
  ['ERROR', 'The execution failed: $t(started) {{n}}', 'A execução falhou: $t(started) {{n}}'],
] as const)(
  'a line of the log that the product wrote is in the language of the user: %s %s',
  (severity, message, shown) => {
    expect(logText(message, severity)).toBe(shown);
  },
);

test.each([
  ['INFO', 'note = "started"'],
  ['INFO', 'note = "GET x answered 200 in 5 ms"'],
  ['ERROR', 'started'],
  ['WARNING', 'a later release wrote this'],
] as const)('a line of the log that a flow or another system wrote stays as it is: %s %s', (severity, message) => {
  expect(logText(message, severity)).toBe(message);
});
