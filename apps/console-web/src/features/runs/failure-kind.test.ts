import { failureKind } from './failure-kind';
import { CONNECTION_TEXTS, FAILURE_TEXTS } from './failure-texts';

test.each([
  ['GET https://bank.example/ failed: connect ECONNREFUSED 10.0.0.1:443', 'unreachable'],
  ['GET https://bank.example/ failed: a later release wrote this', 'unreachable'],
  ['POST https://bank.example/ answered 503', 'unreachable'],
  ['POST https://bank.example/ answered 429: slow down', 'unreachable'],
  ['POST https://bank.example/ answered 401: no such key', 'refused'],
  ['POST https://bank.example/ answered 422', 'refused'],
  ['statement 501: Unknown column "x"', 'refused'],
  ['GET https://bank.example/ failed: self-signed certificate', 'agent'],
  ['GET https://bank.example/ failed: redirected more than 5 times', 'refused'],
  ['action 3 (open): the browser /usr/bin/chromium does not start: no such file', 'agent'],
  ['action 3 (click): not done within 5 s: the selector finds nothing', 'page'],
  ['action 3 (readTable): the table is too large: 1000 rows with 20 columns', 'flow'],
  [
    'action 2 (download): the download invoice.pdf failed: the server answered with an error, or did not send the whole file',
    'unreachable',
  ],
  ['headers: "a b" is not the name of a header', 'flow'],
  ['headers: X-Price must have neither a line break nor a character beyond Latin-1, such as €', 'flow'],
  ['script (line 1): Error: read ECONNRESET', 'flow'],
  ['sql: {total} is no variable', 'flow'],
  [
    "{scan}: the file 1.png: the agent's machine lacks packages for it: install them beside the agent (npm install x)",
    'agent',
  ],
  ["script (line 2): TypeError: cannot read property 'price' of null", 'flow'],
  ["script (line 2): ReferenceError: 'console' is not defined", 'code'],
  ["condition of route 1 (line 1): ReferenceError: 'total' is not defined", 'code'],
  ["script (line 1): SyntaxError: unexpected token: 'x'", 'flow'],
  ["The execution failed: variable total: ReferenceError: 'rate' is not defined", 'code'],
  ['variable total: "1,2,3" is not an amount of money', 'flow'],
  [
    "the agent does not connect to bank.example, port 443: it is not in the agent's list of allowed hosts (setting X)",
    'agent',
  ],
  [
    'mail server smtp.example:25: no answer within 5 s; the server may have accepted the message, so it is not sent again',
    'uncertain',
  ],
  ['the database did not confirm COMMIT within 30 s, so the changes may have taken effect', 'uncertain'],
  ['the database refused COMMIT and rolled the transaction back: a row refers to nothing', 'refused'],
  ['The limit of 500 executed steps was reached', 'limit'],
  ['The agent that ran the execution was lost.', 'lost'],
  ['Report 7 of the execution could not be stored, so its result is not known.', 'lost'],
  ['nobody has seen this text before', 'other'],
])('the failure "%s" is of the kind %s', (message, kind) => {
  expect(failureKind(message)).toBe(kind);
});

test('every text of a failure without a reason has a kind, but for a proxy’s name and what stops a run before it begins', () => {
  const complete = Object.values({ ...FAILURE_TEXTS, ...CONNECTION_TEXTS }).filter(
    (text) => !text.includes('{{reason}}'),
  );
  const unknown = complete.filter((text) => failureKind(messageThatFits(text)) === 'other');
  const { throughProxy, processDeleted, inputMissing, environmentOutOfReach } = FAILURE_TEXTS;
  expect(unknown).toEqual([throughProxy, processDeleted, inputMissing, environmentOutOfReach]);
});

/** A message that the text with placeholders fits. */
function messageThatFits(text: string): string {
  return text
    .replaceAll('{{call}}', 'GET https://bank.example/')
    .replaceAll(/\{\{\w\}\}/g, '7')
    .replaceAll(/\{\{\w+\}\}/g, 'x');
}
