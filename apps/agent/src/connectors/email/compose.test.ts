import type { StepOf, ReadableVariables } from '@batuta/flow';
import { messageFields } from './compose';

const values: Record<string, unknown> = {
  total: 1234.5,
  broken: 'a@x.example\r\nBcc: evil@x.example',
  list: ['a@x.example', 'Bia <b@x.example>'],
  several: 'a@x.example, "Silva, Bia" <b@x.example>',
  comma: 'Silva, Ana',
  name: 'Ana Sá',
  address: 'ana@x.example',
  domain: 'x.example',
  empty: null,
  markup: '<img src=x onerror=alert(1)>',
  '{who}': '<b>',
  '{sum}': 1234.5,
};
const variables: ReadableVariables = {
  has: (name) => Object.hasOwn(values, name),
  get: (name) => values[name],
  typeOf: (name) => (name === 'total' || name === '{sum}' ? 'Moeda' : undefined),
};
const identity = { instanceID: 'i-1', execSteps: 3 };
const fieldsOf = (changes: Partial<StepOf<'email'>>) =>
  messageFields(
    {
      name: 'm',
      type: 'email',
      server: 's',
      from: 'a@x.example',
      to: 'b@x.example',
      subject: '',
      text: '',
      ...changes,
    },
    variables,
    [],
    identity,
  );

test('Moeda has the Brazilian form in subject, text, html and headers', () => {
  const sum = 'R$ {total}';
  expect(fieldsOf({ subject: sum, text: sum, html: sum, headers: { 'X-Sum': sum } })).toMatchObject({
    subject: 'R$ 1.234,50',
    text: 'R$ 1.234,50',
    html: 'R$ 1.234,50',
    headers: { 'X-Sum': 'R$ 1.234,50' },
  });
});

test('the value of a variable is escaped in html and unchanged in text', () => {
  expect(fieldsOf({ html: '<p>{markup}</p>', text: '{markup}' })).toMatchObject({
    html: '<p>&#60;img src=x onerror=alert(1)&#62;</p>',
    text: '<img src=x onerror=alert(1)>',
  });
});

test('a field of the mapping is escaped in html, and Moeda in it has the Brazilian form', () => {
  expect(fieldsOf({ subject: '{{who}}: {{sum}}', html: '<p>{{who}} {{sum}} {{other}}</p>' })).toMatchObject({
    subject: '<b>: 1.234,50',
    html: '<p>&#60;b&#62; 1.234,50 {{other}}</p>',
  });
});

const [a, b] = [
  { name: '', address: 'a@x.example' },
  { name: 'Bia', address: 'b@x.example' },
];
test.each<[string, string | string[], object[]]>([
  ['one address', 'a@x.example', [a]],
  ['addresses with commas', 'a@x.example, Bia <b@x.example>', [a, b]],
  ['a list', ['a@x.example', 'Bia <b@x.example>'], [a, b]],
  ['a variable that is a list', '{list}', [a, b]],
  ['a variable with several addresses', ['{several}'], [a, { name: 'Silva, Bia', address: 'b@x.example' }]],
  [
    'variables beside other text',
    '{name} <{address}>, x@{domain}',
    [
      { name: 'Ana Sá', address: 'ana@x.example' },
      { name: '', address: 'x@x.example' },
    ],
  ],
])('the field to may be %s', (_rule, to, mailboxes) => {
  expect(fieldsOf({ to }).to).toEqual(mailboxes);
});

test.each<[string, Partial<StepOf<'email'>>, RegExp]>([
  ['a line break in the subject', { subject: 'x {broken}' }, /^subject must not have a line break/],
  ['a line break in an address', { to: '{broken}' }, /^to must not have a line break/],
  ['a line break in a name', { cc: 'A\nB <a@x.example>' }, /^cc must not have a line break/],
  ['a line break in a header', { headers: { 'X-A': '{broken}' } }, /^headers: X-A must not have a line break/],
  ['a wrong name of a header', { headers: { 'X A': '' } }, /^headers: "X A" is not the name/],
  ['a header that a field sets', { headers: { BCC: 'a@x.example' } }, /^headers: BCC is set by the step's own fields/],
  ['a name that adds an address', { to: '{comma} <a@x.example>' }, /^to: a variable beside other text must not have/],
  ['no address', { to: '{empty}' }, /^to has no address/],
  ['a name alone', { bcc: '{name}' }, /^bcc: "Ana Sá" is not an address/],
  ['two senders', { from: '{list}' }, /^from must be one address/],
  ['a number', { to: '{total}' }, /^to must be an address or a list/],
  ['a group', { to: 'All: a@x.example, b@x.example;' }, /^to must not have a group/],
  ['too many recipients', { cc: Array.from({ length: 100 }, (_, n) => `n${n}@x.example`) }, /at most 100 addresses/],
])('a message with %s is refused, and the refusal names the field', (_rule, changes, message) => {
  expect(() => fieldsOf(changes)).toThrow(message);
});

test('the Message-ID names the instance and the execution of the step', () => {
  expect(fieldsOf({}).messageId).toBe('<i-1.3@x.example>');
  expect(fieldsOf({ from: 'a@exämple.example' }).messageId).toBe('<i-1.3@batuta.invalid>');
});
