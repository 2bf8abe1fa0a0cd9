import { loneReference, parseTemplate } from './template';

/** Names of the references of a text, each once. */
function referencesOf(text: string): string[] {
  const names = parseTemplate(text).flatMap((part) => (part.kind === 'reference' ? [part.name] : []));
  return [...new Set(names)];
}

test.each<[string, string[]]>([
  ['{total}', ['total']],
  ['Olá {nome}, são {matrix.total} ({total}) {nome}', ['nome', 'matrix.total', 'total']],
  ['{order.body.items.0.price}', ['order.body.items.0.price']],
  ['{número_do_pedido} {my-var} {_x}', ['número_do_pedido', 'my-var', '_x']],
  ['{"total":{total}}', ['total']],
  ['{"a":{"b":{total}}}', ['total']],
  ['{a}{b}', ['a', 'b']],
  ['{{a}', ['a']],
  ['{vault.API_KEY}', ['vault.API_KEY']],
])('the references of %s are %j', (text, names) => {
  expect(referencesOf(text)).toEqual(names);
});

test.each([
  'plain',
  '{"a": 1}',
  '{"a":[1,{"b":2}]}',
  '{ return 1 }',
  '{{total}}',
  '{}',
  '{ total }',
  '{3}',
  '{3,5}',
  '{a, b}',
  '{a:b}',
  '{.a}',
  '{a.}',
  '{a..b}',
  '{JS}',
  '{valor total}',
  '{a\nb}',
  '{a',
  'a}',
])('the text %j has no reference', (text) => {
  expect(parseTemplate(text)).toEqual([{ kind: 'text', text }]);
});

test('a name outside the strict form is a reference when it is a variable', () => {
  const isVariable = (name: string) => name === 'valor total';
  expect(parseTemplate('R$ {valor total} {outro valor}', isVariable)).toEqual([
    { kind: 'text', text: 'R$ ' },
    { kind: 'reference', name: 'valor total', source: '{valor total}' },
    { kind: 'text', text: ' {outro valor}' },
  ]);
});

test('a lone reference has nothing around it, not even a space', () => {
  expect(loneReference('{a.b}')).toBe('a.b');
  for (const text of ['{a} ', '{a}{b}', '{{a}}', 'a', '']) expect(loneReference(text)).toBeUndefined();
});
