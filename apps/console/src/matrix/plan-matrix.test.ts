import type { VariableInput } from './matrix.dto';
import { planMatrix } from './plan-matrix';

const planChange = (variables: VariableInput[], known: string[] = []) =>
  planMatrix('process', variables, new Set(known), () => 'created');
const textVariable = (name: string, id?: string): VariableInput => ({ id, name, type: 'Texto', default: undefined });

test('the rows of a Matrix keep the given order and the given ids', () => {
  expect(planChange([textVariable('b', 'known'), textVariable('a')], ['known'])).toEqual([
    { id: 'known', processID: 'process', position: 0, name: 'b', type: 'Texto', defaultValue: '""' },
    { id: 'created', processID: 'process', position: 1, name: 'a', type: 'Texto', defaultValue: '""' },
  ]);
});

test.each<[string, VariableInput['type'], unknown, string]>([
  ['a text of digits', 'Número', '1.234', '1234'],
  ['money', 'Moeda', 'R$ 10,555', '10.56'],
  ['a word', 'Verdadeiro/Falso', 'sim', 'true'],
  ['commas', 'Lista', 'a, b', '["a","b"]'],
  ['JSON', 'Objeto', '{"a":1}', '{"a":1}'],
  ['nothing', 'Número', undefined, 'null'],
  ['null', 'Lista', null, '[]'],
])('a default of %s is converted by the type %s', (_, type, given, stored) => {
  expect(planChange([{ name: 'a', type, default: given }])[0]?.defaultValue).toBe(stored);
});

test.each<[string, VariableInput[], string]>([
  ['matrix.0.name: is empty', [textVariable('')], 'BAD_REQUEST'],
  ['matrix.0.name: starts with a digit', [textVariable('1a')], 'BAD_REQUEST'],
  ['matrix.0.name: has something other than letters', [textVariable('ação')], 'BAD_REQUEST'],
  ['matrix.0.name: has something other than letters', [textVariable('a b')], 'BAD_REQUEST'],
  ['matrix.0.name: is longer than 80 characters', [textVariable('x'.repeat(81))], 'BAD_REQUEST'],
  ['matrix.0.name: is reserved', [textVariable('__proto__')], 'BAD_REQUEST'],
  ['matrix.0.name: is the name of a system variable', [textVariable('processID')], 'BAD_REQUEST'],
  ['matrix.1.name: is the name of another variable', [textVariable('a'), textVariable('a')], 'BAD_REQUEST'],
  ['matrix.0.id: is no variable of this process', [textVariable('a', 'foreign')], 'BAD_REQUEST'],
  ['matrix.1.id: comes twice', [textVariable('a', 'known'), textVariable('b', 'known')], 'BAD_REQUEST'],
  ['total', [{ name: 'total', type: 'Número', default: 'x' }], 'INVALID_MATRIX'],
  ['token', [{ name: 'token', type: 'Secreto', default: 'hidden' }], 'INVALID_MATRIX'],
  ['long', [{ name: 'long', type: 'Texto', default: 'x'.repeat(100_000) }], 'INVALID_MATRIX'],
])('a Matrix is refused with: %s', (message, variables, code) => {
  const words: unknown = expect.stringContaining(message);
  expect(() => planChange(variables, ['known'])).toThrow(expect.objectContaining({ code, message: words }));
});

test('the refusal of a Secreto default does not repeat it', () => {
  const secret = [{ name: 'token', type: 'Secreto' as const, default: 'hidden' }];
  expect(() => planChange(secret)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hidden') }));
});

test('names of Matrix variables that differ in case belong to two variables', () => {
  expect(planChange([textVariable('total'), textVariable('Total')])).toHaveLength(2);
});
