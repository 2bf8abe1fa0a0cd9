import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CONNECTION_TEXTS,
  FAILURE_TEXTS,
  failureOf,
  failureText,
} from '../../../apps/console-web/src/features/runs/failure-texts';
import { BECAUSE, LOG_TEXTS, logText, PICTURE_NOT_KEPT } from '../../../apps/console-web/src/features/runs/log-texts';
import { i18n } from '../../../apps/console-web/src/i18n/instance';
import common from '../../../apps/console-web/src/common/locales/pt-BR.json';
import english from '../../../apps/console-web/src/features/runs/locales/en.json';
import portuguese from '../../../apps/console-web/src/features/runs/locales/pt-BR.json';

const ROOT = join(__dirname, '../../..');
const texts = Object.entries({
  because: BECAUSE,
  pictureNotKept: PICTURE_NOT_KEPT,
  ...LOG_TEXTS.INFO,
  ...LOG_TEXTS.WARNING,
});
const { noTls, tlsFailed, ...otherFailures } = FAILURE_TEXTS;

beforeEach(() =>
  i18n.init({
    lng: 'pt-BR',
    defaultNS: 'common',
    resources: { 'pt-BR': { runs: portuguese, common }, en: { runs: english } },
    interpolation: { escapeValue: false },
  }),
);

/** Where a part of a text ends: the code composes a text of fixed parts, values, plural forms, and a reason or a subject of its own. */
const PART_END =
  /\{\{\w+\}\}|\b1\b|\b(?:step|action)s?\b|(?<=because )|(?<=bytes\))|:|(?= gave)|\bthe (?:agent|page|process of the execution)\b|\bit(?= is)| \((?:line|this agent)|\bthis connection needs|\b(?:route|onError)\b|\ban empty tab|(?<=^(?:accepted|dismissed))/;

/** The source files that write lines of the log and errors of runs. */
const sources = globSync('{apps/{agent,execution,router},libs/{guarded-fetch,network}}/src/**/*.{ts,js}', { cwd: ROOT })
  .filter((file) => !file.endsWith('.test.ts'))
  // A text that is written in several lines is one text.
  .map((file) => readFileSync(join(ROOT, file), 'utf8').replaceAll(/['"] \+\n\s*['"]/g, ''));

// If the agent changes a text, it appears in English on Portuguese pages.
test.each(texts)('the product still writes the text of the log that the translation "%s" expects', (_, text) => {
  const parts = text.split(PART_END).map((part) => part.trim());
  expect(sources.some((code) => parts.every((part) => code.includes(part)))).toBe(true);
});

/** The parts of a text that no source file has. */
function missingParts(text: string): string[] {
  const parts = text.split(PART_END).map((part) => part.trim());
  return parts.filter((part) => !sources.some((code) => code.includes(part)));
}

test.each(Object.entries(otherFailures))(
  'the product still writes the failure that the translation "%s" expects',
  (_, text) => {
    expect(missingParts(text)).toEqual([]);
  },
);

test('the product still writes one of the failures of TLS that the translations expect', () => {
  expect([noTls, tlsFailed].map(missingParts)).toContainEqual([]);
});

test('the English text of each line of the log is the one that the product writes', () => {
  expect(english.logTexts).toEqual(Object.fromEntries(texts));
  expect(english.failureTexts).toEqual(FAILURE_TEXTS);
  expect(english.connectionTexts).toEqual(CONNECTION_TEXTS);
});

test.each([
  ['INFO', 'started', 'começou'],
  ['INFO', 'goes on to "Pagar"', 'segue para "Pagar"'],
  ['INFO', 'goes on to "b", because {n} > 1 holds', 'segue para "b", porque {n} > 1 vale'],
  [
    'INFO',
    'the execution is terminated here, because {n} > 1 holds',
    'a execução é encerrada aqui, porque {n} > 1 vale',
  ],
  [
    'INFO',
    'The execution ended without error after 1 step, because {n} > 1 holds',
    'A execução terminou sem erro depois de 1 passo, porque {n} > 1 vale',
  ],
  ['INFO', '2 actions in 31 ms, at an empty tab', '2 ações em 31 ms, em uma aba vazia'],
  ['INFO', 'picture of https://a.example/x', 'imagem de https://a.example/x'],
  ['INFO', 'picture of an empty tab [picture not kept]', 'imagem de uma aba vazia [imagem não guardada]'],
  [
    'ERROR',
    'action 3 (click): not done within 5 s: the selector finds nothing [picture not kept]',
    'ação 3 (click): não foi feito em 5 s: o seletor não encontra nada [imagem não guardada]',
  ],
  ['WARNING', 'https://a.example/x answered 404', 'https://a.example/x respondeu 404'],
  ['WARNING', 'kept no picture, because it is too large', 'não guardou a imagem, porque ela é grande demais'],
  ['WARNING', 'closed a tab, because a browser has at most 10', 'fechou uma aba, porque um navegador tem no máximo 10'],
  ['WARNING', 'dismissed the confirm "Sure?"', 'dispensou o diálogo confirm "Sure?"'],
  ['WARNING', 'accepted the alert "a text that is cut', 'aceitou o diálogo alert "a text that is cut'],
  [
    'WARNING',
    'a page asked for a host, but the name "a.example" has no address',
    'uma página pediu um host, mas o nome "a.example" não tem endereço',
  ],
  ['INFO', 'The execution ended without error after 12 steps', 'A execução terminou sem erro depois de 12 passos'],
  ['INFO', 'GET https://a.example/x answered 200 in 31 ms', 'GET https://a.example/x respondeu 200 em 31 ms'],
  [
    'INFO',
    'GET https://a.example/x through the proxy http://10.0.0.2:3128 answered 200 in 31 ms',
    'GET https://a.example/x pelo proxy http://10.0.0.2:3128 respondeu 200 em 31 ms',
  ],
  [
    'INFO',
    'GET https://a.example/x answered 200 with the file order (1).pdf (7 bytes) in 31 ms',
    'GET https://a.example/x respondeu 200 com o arquivo order (1).pdf (7 bytes) em 31 ms',
  ],
  [
    'INFO',
    'postgres: 2 statements gave 7 rows and changed 1, in 4 ms',
    'postgres: comandos: 2, linhas lidas: 7, linhas alteradas: 1, em 4 ms',
  ],
  ['WARNING', 'no answer; attempt 2 of 3 in 1.5 s', 'no answer; tentativa 2 de 3 em 1.5 s'],
  [
    'WARNING',
    'GET x did not answer within 30 s; attempt 2 of 3 in 1.5 s',
    'GET x não respondeu em 30 s; tentativa 2 de 3 em 1.5 s',
  ],
  [
    'WARNING',
    'GET https://a.example/x answered 503; attempt 2 of 3 in 1.5 s',
    'GET https://a.example/x respondeu 503; tentativa 2 de 3 em 1.5 s',
  ],
  [
    'WARNING',
    'GET https://a.example/x through the proxy http://10.0.0.2:3128 answered 429; attempt 2 of 3 in 1.5 s',
    'GET https://a.example/x pelo proxy http://10.0.0.2:3128 respondeu 429; tentativa 2 de 3 em 1.5 s',
  ],
  [
    'WARNING',
    'sent no response: its body is above 262144 bytes',
    'não enviou resposta: o corpo dela tem mais de 262144 bytes',
  ],
  ['WARNING', 'the mail server rejected a@b.example', 'o servidor de e-mail recusou a@b.example'],
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

test.each([
  [
    'action 3 (click): not done within 5 s: the selector finds nothing',
    'ação 3 (click): não foi feito em 5 s: o seletor não encontra nada',
  ],
  [
    'GET https://a.example/ failed: connect ECONNREFUSED 10.0.0.1:443',
    'GET https://a.example/ falhou: conexão recusada por 10.0.0.1:443',
  ],
  ['condition of route 2 (line 1): it ran longer than 5 s', 'condição da rota 2 (linha 1): rodou por mais de 5 s'],
  ['variable total: "1,2,3" is not an amount of money', 'variável total: "1,2,3" não é um valor em dinheiro'],
  [
    'GET https://a.example/ answered 500: the selector finds nothing',
    'GET https://a.example/ respondeu 500: the selector finds nothing',
  ],
  ['statement 2: Unknown column "x" in "SELECT"', 'comando 2: Unknown column "x" in "SELECT"'],
  ['script (line 4): nobody is here', 'script (linha 4): nobody is here'],
  [
    'GET https://a.example/ through the proxy http://10.0.0.2:3128 failed: the proxy answered with status 502',
    'GET https://a.example/ pelo proxy http://10.0.0.2:3128 falhou: o proxy respondeu com o status 502',
  ],
  [
    'the proxy answered with status 407; the address of the proxy in the settings of the agent needs its user and password',
    'o proxy respondeu com o status 407; o endereço do proxy nas configurações do agente precisa do usuário e da senha dele',
  ],
  ['no TLS with this server: wrong version number', 'não há TLS com este servidor: wrong version number'],
  ['TLS failed: wrong version number', 'o TLS falhou: wrong version number'],
  [
    'The router refused a report of the agent, so the result of the execution is not known: lines: must be a list',
    'O roteador recusou um relatório do agente, então não se sabe o resultado da execução: lines: must be a list',
  ],
  [
    'GET https://a.example/ failed: redirected more than 5 times',
    'GET https://a.example/ falhou: foi redirecionado mais de 5 vezes',
  ],
  [
    'GET https://a.example/ failed: the server answered 100 Continue, which only a call with the header Expect asks for',
    'GET https://a.example/ falhou: o servidor respondeu 100 Continue, que só uma chamada com o cabeçalho Expect pede',
  ],
  [
    'GET https://a.example/ failed: the server switched to another protocol, for which the call did not ask',
    'GET https://a.example/ falhou: o servidor mudou para outro protocolo, que a chamada não pediu',
  ],
  [
    'GET https://a.example/ failed: the answer has more than 5 encodings',
    'GET https://a.example/ falhou: a resposta tem mais de 5 codificações',
  ],
  [
    'GET https://a.example/ failed: the answer arrives too fast',
    'GET https://a.example/ falhou: a resposta chega rápido demais',
  ],
  ['action 2 (click): the page crashed', 'ação 2 (click): a página deixou de funcionar'],
  ['action 2 (switchTab): there is no tab 3; the last one is 1', 'ação 2 (switchTab): não há a aba 3; a última é a 1'],
  ['to: "Ana" is not an address', 'to: "Ana" não é um endereço'],
  ['headers: X-Order must not have a line break', 'headers: X-Order não pode ter quebra de linha'],
  [
    'cc: a variable beside other text must not have one of < > , ; : " ( ) \\',
    'cc: uma variável junto de outro texto não pode ter nenhum destes caracteres: < > , ; : " ( ) \\',
  ],
  [
    'sql: its placeholders (?) need 2 values, and params has 1',
    'sql: os marcadores (?) precisam de 2 valores, e params tem 1',
  ],
  [
    'the password in the connection has a % that is not written as %25',
    'a parte password da conexão tem um % que não está escrito como %25',
  ],
  [
    '{scan}: the file order: 1.png: its text cannot be read: it takes longer than 60 s',
    '{scan}: o arquivo order: 1.png: o texto dela não pode ser lido: isso leva mais de 60 s',
  ],
  [
    '{scan}: the file 1.png: it is no picture; PNG, JPEG, WebP, GIF or BMP can be read',
    '{scan}: o arquivo 1.png: não é uma imagem; podem ser lidas imagens PNG, JPEG, WebP, GIF ou BMP',
  ],
  [
    'the connection must be a URL such as mysql://user:password@host:3306/database (or mariadb, postgres, mssql)',
    'a conexão precisa ser uma URL como mysql://user:password@host:3306/database (ou mariadb, postgres, mssql)',
  ],
  ['a later release wrote this', 'a later release wrote this'],
] as const)('a failure is in the language of the user as far as the product wrote it: %s', (message, shown) => {
  expect(failureText(message)).toBe(shown);
});

test.each([
  ['answered 500: no through the proxy x', 'respondeu 500: no through the proxy x'],
  ['answered 503', 'respondeu 503'],
  ['answered with more than 9 bytes', 'respondeu com mais de 9 bytes'],
  ['did not answer within 30 s', 'não respondeu em 30 s'],
  ['failed: read ECONNRESET', 'falhou: a conexão foi interrompida pelo outro lado'],
])('a call that %s is in the language of the user, with and without a proxy', (end, shown) => {
  const call = 'POST https://a.example/x?y=1';
  expect(failureText(`${call} ${end}`)).toBe(`${call} ${shown}`);
  expect(failureText(`${call} through the proxy http://p:3128 ${end}`)).toBe(
    `${call} pelo proxy http://p:3128 ${shown}`,
  );
});

test('the failure of a run names its step in the title, and not again in the reason', () => {
  expect(
    failureOf({ errorStep: 'Pagar & sair', errorMessage: 'Step "Pagar & sair": the page was not loaded' }),
  ).toEqual({
    title: 'A execução falhou no passo Pagar & sair',
    reason: 'a página não foi carregada',
  });
  expect(failureOf({ errorStep: null, errorMessage: 'The agent that ran the execution was lost.' })).toEqual({
    title: portuguese.failed,
    reason: 'O agente que fazia a execução se perdeu.',
  });
  expect(failureOf({ errorStep: null, errorMessage: null })).toBeUndefined();
});
