import * as fc from 'fast-check';
import { formatForMachine, formatForPerson, type MatrixType } from '.';

describe('the text of a value for a person and for a machine', () => {
  test.each<[MatrixType | undefined, unknown, string, string]>([
    ['Moeda', 1234.56, '1.234,56', '1234.56'],
    ['Moeda', 0, '0,00', '0.00'],
    ['Moeda', 5, '5,00', '5.00'],
    ['Moeda', -5.5, '-5,50', '-5.50'],
    ['Moeda', 999, '999,00', '999.00'],
    ['Moeda', -123456.7, '-123.456,70', '-123456.70'],
    ['Moeda', 1234567.89, '1.234.567,89', '1234567.89'],
    ['Moeda', Number.MAX_SAFE_INTEGER, '9.007.199.254.740.991,00', '9007199254740991.00'],
    ['Moeda', -0.001, '0,00', '0.00'],
    ['Moeda', 10.555, '10,56', '10.56'],
    ['Moeda', null, '', ''],
    ['Número', 1234.5, '1234.5', '1234.5'],
    ['Número', 1e-7, '0.0000001', '0.0000001'],
    ['Número', -0, '0', '0'],
    ['Número', null, '', ''],
    ['Texto', 'Olá {x}', 'Olá {x}', 'Olá {x}'],
    ['Verdadeiro/Falso', true, 'true', 'true'],
    ['Verdadeiro/Falso', false, 'false', 'false'],
    ['Lista', ['a', 1.5], '["a",1.5]', '["a",1.5]'],
    ['Lista', [], '[]', '[]'],
    ['Objeto', { total: 1234.56 }, '{"total":1234.56}', '{"total":1234.56}'],
    ['Secreto', 'hunter2', 'hunter2', 'hunter2'],
    ['Secreto', null, '', ''],
    // Variables without a type
    [undefined, 1234.56, '1234.56', '1234.56'],
    [undefined, undefined, '', ''],
    [undefined, Number.NaN, 'NaN', 'NaN'],
    [undefined, { a: null }, '{"a":null}', '{"a":null}'],
  ])('%s %p is %j for a person and %j for a machine', (type, value, person, machine) => {
    expect([formatForPerson(type, value), formatForMachine(type, value)]).toEqual([person, machine]);
  });
});

test('Moeda for a person equals the format of Intl for pt-BR', () => {
  const platform = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  fc.assert(
    fc.property(fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }), (cents) => {
      expect(formatForPerson('Moeda', cents / 100 + 0)).toBe(platform.format(cents / 100 + 0));
    }),
  );
});
