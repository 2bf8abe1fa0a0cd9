import * as fc from 'fast-check';
import { maskSecretNames } from '../masking/secret-names';
import { queryNode } from './payload-tree';
import { readQuery } from './query';

test.each<[string, string, [string, string][]]>([
  ['UTF-8', 'nome=Jo%C3%A3o', [['nome', 'João']]],
  ['ISO-8859-1', 'nome=Jo%E3o', [['nome', 'João']]],
  ['ISO-8859-1 in a name', 'descri%E7%E3o=a', [['descrição', 'a']]],
  [
    'UTF-8 beside ISO-8859-1',
    'a=%C3%A3&b=%E3',
    [
      ['a', 'ã'],
      ['b', 'ã'],
    ],
  ],
  ['an incomplete character of UTF-8', 'a=%C3', [['a', 'Ã']]],
  ['invalid percent-encoding', 'a=%zz%', [['a', '%zz%']]],
])('a query is read as UTF-8, else as ISO-8859-1, and nothing of it is lost: %s', (_, query, parameters) => {
  expect(readQuery(query)).toEqual(parameters);
});

test('a query of any parameters is read as URLSearchParams reads it', () => {
  const text = fc.string({ unit: 'grapheme' });
  const queries = fc.oneof(
    fc.array(fc.tuple(text, text)).map((parameters) => String(new URLSearchParams(parameters))),
    fc.array(fc.constantFrom('&', '=', '+', '?', '%', '%41', '%C3%A7', 'x')).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(queries, (query) => expect(readQuery(query)).toEqual([...new URLSearchParams(query)])),
    { numRuns: 2_000 },
  );
});

test('a query in ISO-8859-1 is mapped and captured with its letters', () => {
  expect(queryNode('nome=Jo%E3o&nome=Ana')).toEqual({ nome: ['João', 'Ana'] });
  const { query } = maskSecretNames({ truncated: false, body: '', query: 'nome=Jo%E3o&token=t', headers: {} });
  expect(new URLSearchParams(query).get('nome')).toBe('João');
});
