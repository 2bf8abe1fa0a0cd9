import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as fc from 'fast-check';
import { CURRENCY_CODES, CURRENCY_ABBREVIATIONS, convertValue, formatForMachine, formatForPerson } from '.';

const NBSP = '\u00a0';
const NARROW_NBSP = '\u202f';
const REFUSED = 'refused';

function convertOrRefused(type: 'Número' | 'Moeda', value: unknown): unknown {
  try {
    return convertValue(type, value, 'total');
  } catch {
    return REFUSED;
  }
}

describe('text read as Número and as Moeda', () => {
  test.each<[text: string, number: unknown, money: unknown]>([
    // Decimal marks and grouping (interpretation 32)
    ['1.234', 1234, 1234],
    ['1.234.567', 1234567, 1234567],
    ['12.345', 12345, 12345],
    ['123.456', 123456, 123456],
    ['1234.567', 1234.567, 1234.57],
    ['0.123', 0.123, 0.12],
    ['01.234', 1.234, 1.23],
    ['1,234', 1.234, 1.23],
    ['0,5', 0.5, 0.5],
    ['12,5', 12.5, 12.5],
    ['12.5', 12.5, 12.5],
    ['1234,5', 1234.5, 1234.5],
    ['1.234,56', 1234.56, 1234.56],
    ['1,234.56', 1234.56, 1234.56],
    ['1.234,567', 1234.567, 1234.57],
    ['1,234.567', 1234.567, 1234.57],
    ['1.234.567,89', 1234567.89, 1234567.89],
    ['1,234,567.89', 1234567.89, 1234567.89],
    ['1,234,567', 1234567, 1234567],
    ['10', 10, 10],
    ['007', 7, 7],
    ['0', 0, 0],
    // The sign
    ['-5', -5, -5],
    ['-1.234,56', -1234.56, -1234.56],
    ['-0', 0, 0],
    ['-0,001', -0.001, 0],
    // Surrounding spaces
    ['  10  ', 10, 10],
    [`${NBSP}10${NARROW_NBSP}`, 10, 10],
    ['\t10\n', 10, 10],
    // Currency marks
    ['R$ 1.234,56', REFUSED, 1234.56],
    [`R$${NBSP}1.234,56`, REFUSED, 1234.56],
    [`R$${NARROW_NBSP}1.234,56`, REFUSED, 1234.56],
    ['R$1.234,56', REFUSED, 1234.56],
    ['r$ 5', REFUSED, 5],
    ['US$ 1,234.56', REFUSED, 1234.56],
    ['€ 10', REFUSED, 10],
    ['10 ¢', REFUSED, REFUSED],
    ['10 ₰', REFUSED, REFUSED],
    ['￠10', REFUSED, REFUSED],
    ['10 €', REFUSED, 10],
    ['10,50€', REFUSED, 10.5],
    ['$10.50', REFUSED, 10.5],
    ['£ 1,234,567', REFUSED, 1234567],
    ['¥ 500', REFUSED, 500],
    ['BRL 10', REFUSED, 10],
    ['10 BRL', REFUSED, 10],
    ['USD1,234.56', REFUSED, 1234.56],
    ['eur 7', REFUSED, 7],
    ['-R$ 5', REFUSED, -5],
    [`-R$${NBSP}5,00`, REFUSED, -5],
    ['R$ -5', REFUSED, -5],
    ['R$-5', REFUSED, -5],
    ['-5 €', REFUSED, -5],
    ['-10 BRL', REFUSED, -10],
    // Refused as Número and as Moeda
    ['', REFUSED, REFUSED],
    ['   ', REFUSED, REFUSED],
    ['abc', REFUSED, REFUSED],
    ['(5)', REFUSED, REFUSED],
    ['(R$ 5)', REFUSED, REFUSED],
    ['5-', REFUSED, REFUSED],
    ['R$ 5-', REFUSED, REFUSED],
    ['--5', REFUSED, REFUSED],
    ['-R$ -5', REFUSED, REFUSED],
    ['- 5', REFUSED, REFUSED],
    ['+5', REFUSED, REFUSED],
    ['1,2,3', REFUSED, REFUSED],
    ['1.2.3', REFUSED, REFUSED],
    ['12.34,5', REFUSED, REFUSED],
    ['12,34.5', REFUSED, REFUSED],
    ['0.123,45', REFUSED, REFUSED],
    ['0,123.45', REFUSED, REFUSED],
    ['0,123,456', REFUSED, REFUSED],
    ['1.234.56', REFUSED, REFUSED],
    ['1234.567,89', REFUSED, REFUSED],
    ['1.234,567,890', REFUSED, REFUSED],
    ['1,234.567.890', REFUSED, REFUSED],
    ['1..234', REFUSED, REFUSED],
    ['.5', REFUSED, REFUSED],
    ['5,', REFUSED, REFUSED],
    ['1 234', REFUSED, REFUSED],
    [`1${NBSP}234,56`, REFUSED, REFUSED],
    ['1e3', REFUSED, REFUSED],
    ['0x1', REFUSED, REFUSED],
    ['1_000', REFUSED, REFUSED],
    ['NaN', REFUSED, REFUSED],
    ['Infinity', REFUSED, REFUSED],
    ['١٢', REFUSED, REFUSED],
    ['10%', REFUSED, REFUSED],
    ['R$', REFUSED, REFUSED],
    ['R$ R$ 5', REFUSED, REFUSED],
    ['R$ 5 BRL', REFUSED, REFUSED],
    ['XYZ 5', REFUSED, REFUSED],
    ['5 5', REFUSED, REFUSED],
    ['12a', REFUSED, REFUSED],
    // Numbers that a JavaScript number cannot hold exactly
    ['999999999999999', 999999999999999, 999999999999999],
    ['-999999999999999', -999999999999999, -999999999999999],
    ['9.999.999.999.999,99', 9999999999999.99, 9999999999999.99],
    ['1000000000000000', 1e15, 1e15],
    ['1234567890123456', REFUSED, REFUSED],
    ['9007199254740993', REFUSED, REFUSED],
    ['10000000000000000', REFUSED, REFUSED],
    ['0,1234567890123456', REFUSED, REFUSED],
    ['0,000000000000000000001', 1e-21, 0],
    [`0,${'0'.repeat(400)}1`, REFUSED, REFUSED],
    ['1,50000000000000000000', 1.5, 1.5],
  ])('the text %j is %p as Número and %p as Moeda', (text, number, money) => {
    expect([convertOrRefused('Número', text), convertOrRefused('Moeda', text)]).toStrictEqual([number, money]);
  });
});

describe('JSON values read as Número and as Moeda', () => {
  test.each<[value: unknown, number: unknown, money: unknown]>([
    [5, 5, 5],
    [1234.56, 1234.56, 1234.56],
    [10.555, 10.555, 10.56],
    [-10.555, -10.555, -10.56],
    [1.005, 1.005, 1.01],
    [2.5e-3, 0.0025, 0],
    [0.005, 0.005, 0.01],
    [-0.005, -0.005, -0.01],
    [0.1 + 0.2, 0.1 + 0.2, 0.3],
    [-0, 0, 0],
    [-0.001, -0.001, 0],
    [1e-7, 1e-7, 0],
    [Number.MAX_SAFE_INTEGER, 9007199254740991, 9007199254740991],
    [2 ** 53, REFUSED, REFUSED],
    [-(2 ** 53), REFUSED, REFUSED],
    [1e21, REFUSED, REFUSED],
    [Number.NaN, REFUSED, REFUSED],
    [Number.POSITIVE_INFINITY, REFUSED, REFUSED],
    [true, REFUSED, REFUSED],
    [false, REFUSED, REFUSED],
    [[], REFUSED, REFUSED],
    [[5], REFUSED, REFUSED],
    [{}, REFUSED, REFUSED],
  ])('%p is %p as Número and %p as Moeda', (value, number, money) => {
    expect([convertOrRefused('Número', value), convertOrRefused('Moeda', value)]).toStrictEqual([number, money]);
  });
});

test.each(['$', '€', '￥', '₿', '฿', '₴', '₸', ...CURRENCY_ABBREVIATIONS, ...CURRENCY_CODES])(
  'Moeda takes the mark %s before and after, Número does not',
  (mark) => {
    const forms = [`${mark}5`, `${mark} 5`, `-${mark} 5`, `${mark} -5`, `5${mark}`, `5 ${mark}`, `-5${NBSP}${mark}`];
    expect(forms.map((text) => convertOrRefused('Moeda', text))).toEqual([5, 5, -5, -5, 5, 5, -5]);
    expect(forms.map((text) => convertOrRefused('Número', text))).toEqual(forms.map(() => REFUSED));
  },
);

test('the documentation lists every currency mark of more than one character', () => {
  const documentation = readFileSync(resolve(__dirname, '../../../docs/matrix.md'), 'utf8');
  const listed = new Set([...documentation.matchAll(/`([^`]+)`/g)].map(([, code]) => code));
  expect([...CURRENCY_ABBREVIATIONS, ...CURRENCY_CODES].filter((mark) => !listed.has(mark))).toEqual([]);
});

test('Moeda text rounds half away from zero on its decimal digits', () => {
  const rounded = ['10,555', '10,5549', '-10,555', '1,005', '0,005', '8,345', 'R$ 2,675'];
  expect(rounded.map((text) => convertOrRefused('Moeda', text))).toEqual([
    10.56, 10.55, -10.56, 1.01, 0.01, 8.35, 2.68,
  ]);
});

/** Amounts with two decimals that a text may carry: at most 15 significant digits. */
const anyAmount = fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }).map((cents) => cents / 100 + 0);

test('a Moeda value formatted for a person is read back as the same value, with and without a currency mark', () => {
  fc.assert(
    fc.property(anyAmount, fc.constantFrom('', 'R$', 'R$ ', `US$${NBSP}`, 'EUR '), (value, mark) => {
      expect(convertValue('Moeda', mark + formatForPerson('Moeda', value), 'total')).toBe(value);
    }),
  );
});

test('a Moeda value formatted for a machine is read back as the same value', () => {
  fc.assert(
    fc.property(anyAmount, (value) => {
      expect(convertValue('Moeda', formatForMachine('Moeda', value), 'total')).toBe(value);
    }),
  );
});

test('Moeda agrees with pt-BR formatting of the platform', () => {
  const platform = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });
  fc.assert(
    fc.property(anyAmount, (value) => {
      expect(convertValue('Moeda', platform.format(value), 'total')).toBe(value);
    }),
  );
});

test('a Número value written as plain decimal text with a comma is read back as the same value', () => {
  const digits = fc.tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.integer({ min: 1, max: 6 }));
  fc.assert(
    fc.property(digits, ([unscaled, scale]) => {
      const value = Number(`${unscaled}e-${scale}`) + 0;
      expect(convertValue('Número', value.toFixed(scale).replace('.', ','), 'n')).toBe(value);
    }),
  );
});
