import { ApiError } from '@batuta/errors';
import { MATRIX_TYPES, convertValue, valueWithoutDefault, isMatrixType, type MatrixType, type ValueSource } from '.';

const VALUE_SOURCES: ValueSource[] = ['body', 'node', 'assign'];

function refusalOf(type: MatrixType, value: unknown, source?: ValueSource): string {
  try {
    convertValue(type, value, 'total', source);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'INVALID_MATRIX') return error.message;
    throw error;
  }
  throw new Error(`${type} took ${JSON.stringify(value)}`);
}

/** Lists nested to the given number of levels. */
function nestedLists(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

test('the seven types are spelled as in the contract, in composed Unicode', () => {
  const contract = ['Texto', 'N\u00famero', 'Moeda', 'Verdadeiro/Falso', 'Lista', 'Objeto', 'Secreto'];
  expect([...MATRIX_TYPES]).toEqual(contract);
  expect(contract.every(isMatrixType)).toBe(true);
  expect(['texto', 'Numero', 'Nu\u0301mero', '', 'constructor', 1, null].some(isMatrixType)).toBe(false);
});

describe('a value that fits', () => {
  test.each<[MatrixType, unknown, unknown]>([
    // Texto takes every value
    ['Texto', 'Olá', 'Olá'],
    ['Texto', '  kept  ', '  kept  '],
    ['Texto', '', ''],
    ['Texto', 10.5, '10.5'],
    ['Texto', -0, '0'],
    ['Texto', 1e21, '1000000000000000000000'],
    ['Texto', 1e-7, '0.0000001'],
    ['Texto', true, 'true'],
    ['Texto', false, 'false'],
    ['Texto', ['a', 1, null], '["a",1,null]'],
    ['Texto', { a: { b: [1] } }, '{"a":{"b":[1]}}'],
    // Verdadeiro/Falso
    ['Verdadeiro/Falso', true, true],
    ['Verdadeiro/Falso', false, false],
    ['Verdadeiro/Falso', 'true', true],
    ['Verdadeiro/Falso', 'FALSE', false],
    ['Verdadeiro/Falso', 'Sim', true],
    ['Verdadeiro/Falso', 'n\u00e3o', false],
    ['Verdadeiro/Falso', 'N\u00c3O', false],
    ['Verdadeiro/Falso', 'na\u0303o', false],
    ['Verdadeiro/Falso', 'NA\u0303O', false],
    ['Verdadeiro/Falso', 'nao', false],
    ['Verdadeiro/Falso', ' 1 ', true],
    ['Verdadeiro/Falso', '0', false],
    ['Verdadeiro/Falso', '', false],
    ['Verdadeiro/Falso', ' \u00a0 ', false],
    ['Verdadeiro/Falso', 1, true],
    ['Verdadeiro/Falso', 0, false],
    // Lista
    ['Lista', ['a,b', 'c'], ['a,b', 'c']],
    ['Lista', [{ sku: 1 }, [2], null], [{ sku: 1 }, [2], null]],
    ['Lista', [], []],
    ['Lista', 'a,b,c', ['a', 'b', 'c']],
    ['Lista', ' a , b ', ['a', 'b']],
    ['Lista', 'a,,b,', ['a', '', 'b', '']],
    ['Lista', ',', ['', '']],
    ['Lista', 'one', ['one']],
    ['Lista', '', []],
    ['Lista', '  ', []],
    ['Lista', '["a,b", 2]', ['a,b', 2]],
    ['Lista', ' [] ', []],
    ['Lista', '[a,b]', ['[a', 'b]']],
    ['Lista', '5', ['5']],
    ['Lista', '{"a":1,"b":2}', ['{"a":1', '"b":2}']],
    // Objeto
    ['Objeto', { a: 1 }, { a: 1 }],
    ['Objeto', [1, 2], [1, 2]],
    ['Objeto', '{"a": {"b": 1}}', { a: { b: 1 } }],
    ['Objeto', ' \n{} ', {}],
    ['Objeto', '[1]', [1]],
    // Secreto
    ['Secreto', 'hunter2', 'hunter2'],
    ['Secreto', ' kept ', ' kept '],
    ['Secreto', '', ''],
    ['Secreto', 1234, '1234'],
    // null and absent are empty
    ['Texto', null, ''],
    ['Verdadeiro/Falso', undefined, false],
    ['Lista', null, []],
    ['Número', null, null],
    ['Moeda', undefined, null],
    ['Objeto', null, null],
    ['Secreto', null, null],
  ])('%s takes %p as %p', (type, value, expected) => {
    expect(convertValue(type, value, 'total')).toStrictEqual(expected);
  });
});

describe('a value that does not fit is refused with the field named', () => {
  test.each<[MatrixType, unknown, string]>([
    ['Número', '1,2,3', 'total: "1,2,3" is not a number'],
    ['Número', true, 'total: true is not a number'],
    ['Número', ['5'], 'total: a list is not a number'],
    ['Número', '1234567890123456', 'total: "1234567890123456" has more than 15 significant digits'],
    ['Número', 1e21, 'total: 1e+21 is too big to be held exactly'],
    ['Moeda', 'abc', 'total: "abc" is not an amount of money'],
    ['Moeda', { amount: 5 }, 'total: an object is not an amount of money'],
    ['Verdadeiro/Falso', 'maybe', 'total: "maybe" is neither true nor false'],
    ['Verdadeiro/Falso', 'verdadeiro', 'total: "verdadeiro" is neither true nor false'],
    ['Verdadeiro/Falso', '1.0', 'total: "1.0" is neither true nor false'],
    ['Verdadeiro/Falso', 2, 'total: 2 is neither true nor false'],
    ['Verdadeiro/Falso', [], 'total: a list is neither true nor false'],
    ['Lista', { a: 1 }, 'total: an object is not a list'],
    ['Lista', 5, 'total: 5 is not a list'],
    ['Lista', false, 'total: false is not a list'],
    ['Objeto', 'abc', 'total: "abc" is not a JSON object or list'],
    ['Objeto', '', 'total: "" is not a JSON object or list'],
    ['Objeto', '5', 'total: "5" is not a JSON object or list'],
    ['Objeto', 'null', 'total: "null" is not a JSON object or list'],
    ['Objeto', '"a"', 'total: ""a"" is not a JSON object or list'],
    ['Objeto', '{a: 1}', 'total: "{a: 1}" is not a JSON object or list'],
    ['Objeto', 5, 'total: 5 is not a JSON object or list'],
    ['Objeto', true, 'total: true is not a JSON object or list'],
    ['Secreto', true, 'total: the value must be a string or a number'],
    ['Secreto', ['x'], 'total: the value must be a string or a number'],
    ['Secreto', { x: 1 }, 'total: the value must be a string or a number'],
    ['Secreto', 2 ** 60, 'total: the value is too big to be held exactly'],
  ])('%s refuses %p', (type, value, message) => {
    expect(refusalOf(type, value)).toBe(message);
  });
});

describe('a number that no double holds is refused with the field named, by every type and at any depth', () => {
  const message = 'total: has a number beyond the range of a double, about 1e-323 to 1.8e308; only text can hold it';

  test.each(MATRIX_TYPES.flatMap((type) => VALUE_SOURCES.map((source) => [type, source] as const)))(
    '%s from %s refuses Infinity',
    (type, source) => {
      for (const number of [Infinity, -Infinity, NaN]) expect(refusalOf(type, number, source)).toBe(message);
    },
  );

  test.each<[MatrixType, unknown, ValueSource]>([
    ['Texto', [Infinity], 'body'],
    ['Texto', { a: { b: [1, Infinity] } }, 'node'],
    ['Secreto', { a: Infinity }, 'node'],
    ['Lista', [1, [Infinity]], 'body'],
    ['Objeto', { a: { b: Infinity } }, 'body'],
    ['Lista', '[1, 1e400]', 'body'],
    ['Objeto', '{"a":[1e-400]}', 'body'],
    ['Objeto', ' [-1e400] ', 'node'],
  ])('%s refuses %p from %s', (type, value, source) => {
    expect(refusalOf(type, value, source)).toContain('has a number beyond the range of a double');
    expect(refusalOf(type, value, source)).toMatch(/^total: /);
  });

  test('text with a number that no double holds stays text', () => {
    expect(convertValue('Texto', '1e400', 'total')).toBe('1e400');
    expect(convertValue('Lista', '1e400, 2', 'total')).toEqual(['1e400', '2']);
  });
});

describe('a field or whole node of a webhook payload', () => {
  const list = [{ sku: 'a,b' }, 'c'];
  const object = { id: 1, items: [true] };
  const objectText = '{"id":1,"items":[true]}';

  test.each<[MatrixType, unknown, unknown]>([
    ['Lista', list, list],
    ['Objeto', object, object],
    ['Objeto', list, list],
    ['Texto', object, objectText],
    ['Texto', list, '[{"sku":"a,b"},"c"]'],
    ['Secreto', object, objectText],
    ['Secreto', [1], '[1]'],
    ['Secreto', true, 'true'],
    ['Moeda', 'R$ 1.234,50', 1234.5],
    ['Lista', 'a,b', ['a', 'b']],
  ])('%s takes %p as %p', (type, node, expected) => {
    expect(convertValue(type, node, 'total', 'node')).toStrictEqual(expected);
  });

  test.each<[MatrixType, unknown]>([
    ['Lista', object],
    ['Número', object],
    ['Número', list],
    ['Moeda', object],
    ['Moeda', list],
    ['Verdadeiro/Falso', object],
    ['Verdadeiro/Falso', []],
  ])('%s refuses %p', (type, node) => {
    expect(refusalOf(type, node, 'node')).toMatch(/^total: /);
  });
});

describe('the result of a flow variable or an assignment', () => {
  test.each<[MatrixType, unknown, unknown]>([
    ['Texto', [1], '[1]'],
    ['Secreto', { a: 1 }, '{"a":1}'],
    ['Secreto', false, 'false'],
    ['Moeda', 10.555, 10.56],
    ['Número', '1.234,5', 1234.5],
    ['Verdadeiro/Falso', 'sim', true],
  ])('%s takes %p as %p', (type, value, expected) => {
    expect(convertValue(type, value, 'total', 'assign')).toStrictEqual(expected);
  });

  test('the result of a flow variable does not appear in a refusal, because it may contain a Secreto', () => {
    expect(refusalOf('Número', 'hunter2', 'assign')).toBe('total: the value is not a number');
    expect(refusalOf('Moeda', 2 ** 60, 'assign')).toBe('total: the value is too big to be held exactly');
  });
});

test('a refusal shows at most 40 characters of the value and 80 of the field', () => {
  expect(refusalOf('Número', 'x'.repeat(1_000_000))).toBe(`total: "${'x'.repeat(40)}…" is not a number`);
  expect(refusalOf('Número', '😀'.repeat(50))).toBe(`total: "${'😀'.repeat(40)}…" is not a number`);
  expect(() => convertValue('Número', 'x', 'f'.repeat(1000))).toThrow(`${'f'.repeat(80)}…: "x" is not a number`);
});

test('a text with a name that could be read as another one is refused as Objeto and as Lista, not split at its commas', () => {
  const refused = /^total: .* has a name with a backslash/;
  expect(refusalOf('Objeto', String.raw` {"a":1,"caf\\":2}`)).toMatch(refused);
  expect(refusalOf('Lista', String.raw` [{"a":1,"caf\\":2}]`)).toMatch(refused);
  expect(convertValue('Lista', String.raw`"caf\\":, b`, 'total')).toEqual([String.raw`"caf\\":`, 'b']);
  expect(convertValue('Objeto', String.raw`{"caf":"\\","App\\Models":1}`, 'total')).toEqual({
    caf: '\\',
    'App\\Models': 1,
  });
});

test('a refusal shows no line ends, controls, direction marks or lone surrogates', () => {
  expect(refusalOf('Número', 'a\r\n\u0000\u202e\u2028\ud800z')).toBe('total: "a□□□□□□z" is not a number');
});

test('lists and objects of 101 levels are refused, as JSON and as text', () => {
  const shallow = JSON.parse(nestedLists(100));
  expect(convertValue('Lista', shallow, 'total')).toBe(shallow);
  expect(convertValue('Texto', shallow, 'total')).toBe(nestedLists(100));
  const deep = [nestedLists(101), JSON.parse(nestedLists(101)), JSON.parse(nestedLists(100_000))];
  for (const value of deep) expect(refusalOf('Lista', value)).toMatch(/is nested more than 100 levels deep$/);
  expect(refusalOf('Objeto', deep[0])).toMatch(/^total: .* is nested more than 100 levels deep$/);
  expect(refusalOf('Texto', deep[2])).toBe('total: a list is nested more than 100 levels deep');
});

test('a value is kept unchanged, including keys named __proto__', () => {
  const json = '{"__proto__":{"admin":true},"constructor":1}';
  expect(JSON.stringify(convertValue('Objeto', json, 'total'))).toBe(json);
  expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
});

test('a long text is refused as Verdadeiro/Falso without normalising its accents, which takes a minute for a megabyte', () => {
  const normalize = jest.spyOn(String.prototype, 'normalize');
  expect(refusalOf('Verdadeiro/Falso', '\u0301\u0316'.repeat(1_000))).toMatch(/is neither true nor false$/);
  expect(convertValue('Verdadeiro/Falso', `${' '.repeat(1_000)}na\u0303o${'\n'.repeat(1_000)}`, 'total')).toBe(false);
  expect(normalize.mock.contexts.map(String)).toEqual(['na\u0303o']);
  normalize.mockRestore();
});

test('every empty list is a new one: a change of one leaves the next one empty', () => {
  expect(valueWithoutDefault('Lista')).not.toBe(valueWithoutDefault('Lista'));
});

test('a refusal contains nothing of a Secreto', () => {
  const secret = 'q7-hunter2-Zx';
  const carriers = [
    [secret],
    { token: secret },
    { [secret]: 1 },
    JSON.parse(nestedLists(150).replace('[]', `["${secret}"]`)),
  ];
  for (const value of carriers) expect(refusalOf('Secreto', value, 'body')).not.toContain(secret);
  for (const type of ['Número', 'Moeda', 'Verdadeiro/Falso', 'Objeto'] as const)
    expect(refusalOf(type, secret, 'assign')).not.toContain(secret);
  for (const value of [2 ** 60, true]) expect(refusalOf('Secreto', value)).not.toContain(String(value));
});
