import { convertDefault } from '@batuta/matrix';
import { shortValue, formattedValue } from './shown-value';

test.each([
  ['Moeda', 1234.5, '1.234,50'],
  ['Número', 1.234, '1,234'],
  ['Número', 1234567.25, '1234567,25'],
  ['Número', -3, '-3'],
  ['Número', 1e-7, '0,0000001'],
] as const)('a %s is shown so that it can be typed again: %s', (type, value, text) => {
  expect(formattedValue(type, value)).toBe(text);
  expect(convertDefault(type, text, 'x')).toBe(value);
});

test('values of lists and objects are shown as JSON, an absent value as empty text', () => {
  expect([formattedValue('Lista', [1, 'a']), formattedValue('Objeto', null)]).toEqual(['[1,"a"]', '']);
});

test('a value beside a field has the mark of money, and is cut if it is long', () => {
  expect(shortValue('Moeda', 10)).toBe('R$ 10,00');
  expect(shortValue('Texto', 'x'.repeat(3_000))).toHaveLength(2_001);
});
