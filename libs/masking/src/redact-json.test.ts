import { Mask } from './mask';
import { redactJson } from './redact-json';

const SECRET = 'hunter2-"secret"';
const mask = new Mask();
for (const value of [SECRET, '12', 900, '12345678901234567890', 'true-ish']) mask.hide(value);

const nestedInLists = (text: string) => `${'['.repeat(2_000)}${JSON.stringify(text)}${']'.repeat(2_000)}`;

test.each([
  ['a value', { token: SECRET }, { token: '•••' }],
  ['a part of a text', [`Bearer ${SECRET}!`], ['Bearer •••!']],
  ['the name of a field', { [SECRET]: 1 }, { '•••': 1 }],
  ['JSON within JSON', { inner: JSON.stringify({ token: SECRET }) }, { inner: '{"token":"•••"}' }],
  ['a number', { total: 900, other: 9001 }, { total: '•••', other: 9001 }],
  [
    'a short value that stands alone',
    { pin: '12', text: 'pin 12', n: 12, m: 120 },
    { pin: '•••', text: 'pin •••', n: '•••', m: 120 },
  ],
])('%s is masked and the rest stays', (_, body, shown) => {
  expect(JSON.parse(redactJson(mask, JSON.stringify(body)))).toEqual(shown);
});

test('base64 of a secret is masked', () => {
  const auth = Buffer.from(`u:${SECRET}`).toString('base64');
  expect(redactJson(mask, JSON.stringify({ auth }))).toMatch(/^\{"auth":"[^"]{0,4}•••[^"]{0,4}"\}$/);
});

test('a body without anything to hide stays as it was written, byte by byte', () => {
  const body = ' { "a" : 1.0, "b":[1e2, "x"], "__proto__": {"n": 12345678901234567891} } ';
  expect(redactJson(mask, body)).toBe(body);
  expect(redactJson(new Mask(), body)).toBe(body);
});

test('a secret that JSON would write in another way hides the whole body', () => {
  expect(redactJson(mask, '{"n":12345678901234567890}')).toBe('"•••"');
});

test('a body that is nested too deeply for a tree is masked as text', () => {
  expect(JSON.parse(redactJson(mask, nestedInLists(SECRET)))).toBe(nestedInLists('•••'));
  expect(redactJson(mask, nestedInLists('open'))).toBe(nestedInLists('open'));
});
