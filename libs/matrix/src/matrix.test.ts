import {
  convertDefault,
  convertMatrix,
  publicDefinition,
  variableNameProblem,
  type MatrixType,
  type MatrixVariable,
} from '.';

function variable(name: string, type: MatrixType, registered: unknown = null): MatrixVariable {
  return { id: `id-${name}`, name, type, default: registered };
}

const ORDER_VARIABLES = [
  variable('customer', 'Texto', 'Ana'),
  variable('total', 'Moeda', 10),
  variable('items', 'Lista'),
  variable('urgent', 'Verdadeiro/Falso'),
  variable('quantity', 'Número'),
  variable('address', 'Objeto'),
  variable('token', 'Secreto'),
];

describe('start values', () => {
  test('the values at the start of an instance are the sent values, converted by type, in the order of registration', () => {
    const sent = {
      token: 's3',
      total: 'R$ 1.234,56',
      items: 'a,b',
      urgent: 'sim',
      quantity: '1,5',
      address: '{"n":1}',
    };
    const { values, secrets } = convertMatrix(ORDER_VARIABLES, sent);
    expect(JSON.parse(JSON.stringify(values))).toStrictEqual({
      customer: 'Ana',
      total: 1234.56,
      items: ['a', 'b'],
      urgent: true,
      quantity: 1.5,
      address: { n: 1 },
      token: 's3',
    });
    expect(Object.keys(values)).toEqual(ORDER_VARIABLES.map(({ name }) => name));
    expect(secrets).toEqual(['token']);
  });

  test('the values at the start of an instance are the default, or empty, when null or no value was sent', () => {
    const expected = {
      customer: 'Ana',
      total: 10,
      items: [],
      urgent: false,
      quantity: null,
      address: null,
      token: null,
    };
    const nulls = Object.fromEntries(ORDER_VARIABLES.map(({ name }) => [name, null]));
    expect({ ...convertMatrix(ORDER_VARIABLES, undefined).values }).toStrictEqual(expected);
    expect({ ...convertMatrix(ORDER_VARIABLES, nulls).values }).toStrictEqual(expected);
  });

  test('the values at the start of an instance are the sent values even if these are false, zero or empty', () => {
    const { values } = convertMatrix(ORDER_VARIABLES, { customer: '', total: 0, urgent: false, items: [] });
    expect(values).toMatchObject({ customer: '', total: 0, urgent: false, items: [] });
  });

  test('the values at the start of an instance convert a default by the current type of the variable', () => {
    expect(convertMatrix([variable('n', 'Número', '1,5')], {}).values).toMatchObject({ n: 1.5 });
    expect(() => convertMatrix([variable('n', 'Número', 'Ana')], {})).toThrow('n: "Ana" is not a number');
    expect(convertMatrix([variable('n', 'Secreto', 'once a Texto')], {}).values).toMatchObject({ n: null });
  });

  test('the values at the start of an instance accept a mapped node as a Secreto only from a webhook', () => {
    const sent = { token: { key: 'abc' } };
    expect(convertMatrix(ORDER_VARIABLES, sent, 'node').values).toMatchObject({ token: '{"key":"abc"}' });
    expect(() => convertMatrix(ORDER_VARIABLES, sent)).toThrow('token: the value must be a string or a number');
  });
});

describe('sent values', () => {
  test.each<[string, unknown]>([
    ['Total', 1],
    ['TOTAL', 1],
    ['matrix.total', 1],
    ['id-total', 1],
    ['unknown', null],
    ['constructor', 1],
    ['toString', 1],
    ['__proto__', { admin: true }],
    ['', 1],
  ])('a sent Matrix is refused for the unknown name %j', (name, value) => {
    const sent = JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`);
    expect(() => convertMatrix(ORDER_VARIABLES, sent)).toThrow(
      expect.objectContaining({ code: 'INVALID_MATRIX', message: `${name}: no such variable in this process` }),
    );
  });

  test('a sent Matrix is refused for a value that does not convert, with the name of the variable', () => {
    expect(() => convertMatrix(ORDER_VARIABLES, { customer: 'x', total: '1,2,3' })).toThrow(
      expect.objectContaining({ code: 'INVALID_MATRIX', message: 'total: "1,2,3" is not an amount of money' }),
    );
  });

  test.each(['[1]', '"text"', '5'])('a sent Matrix is refused when it is %s and not an object', (json) => {
    expect(() => convertMatrix(ORDER_VARIABLES, JSON.parse(json))).toThrow('matrix: must be an object');
  });
});

test('a sent Matrix may use variable names that every object inherits', () => {
  const named = [variable('constructor', 'Texto'), variable('__proto__', 'Objeto', { a: 1 })];
  const { values } = convertMatrix(named, {});
  expect(JSON.stringify(values)).toBe('{"constructor":"","__proto__":{"a":1}}');
  expect(values['toString']).toBeUndefined();
  expect(convertMatrix(ORDER_VARIABLES, Object.create({ customer: 'inherited' })).values).toMatchObject({
    customer: 'Ana',
  });
});

describe('defaults', () => {
  test.each<[MatrixType, unknown, unknown]>([
    ['Texto', 'Ana', 'Ana'],
    ['Texto', ' ', ' '],
    ['Texto', undefined, ''],
    ['Moeda', 'R$ 10,555', 10.56],
    ['Número', '', null],
    ['Moeda', ' ', null],
    ['Objeto', '', null],
    ['Lista', '', []],
    ['Lista', null, []],
    ['Verdadeiro/Falso', '', false],
    ['Verdadeiro/Falso', 'sim', true],
    ['Secreto', '', null],
    ['Secreto', null, null],
    ['Secreto', undefined, null],
  ])('the default of a variable of type %s, given as %p, is stored as %p', (type, given, stored) => {
    expect(convertDefault(type, given, 'matrix.0.default')).toStrictEqual(stored);
  });

  test('the default of a variable is refused when it does not convert, with the name of the field', () => {
    expect(() => convertDefault('Número', 'Ana', 'quantity')).toThrow(
      expect.objectContaining({ code: 'INVALID_MATRIX', message: 'quantity: "Ana" is not a number' }),
    );
  });

  test.each([['hunter2'], [' '], [0], [false], [[]]])(
    'the default of a Secreto is refused, and the refusal does not show it: %p',
    (given) => {
      expect(() => convertDefault('Secreto', given, 'token')).toThrow(
        expect.objectContaining({ code: 'INVALID_MATRIX', message: 'token: a Secreto has no default' }),
      );
    },
  );

  test('the default of a variable is part of the public definition, and always "" for a Secreto', () => {
    expect(publicDefinition(variable('total', 'Moeda', 10))).toStrictEqual({
      name: 'total',
      type: 'Moeda',
      default: 10,
    });
    expect(publicDefinition(variable('off', 'Verdadeiro/Falso', false)).default).toBe(false);
    expect(publicDefinition(variable('customer', 'Texto')).default).toBe('');
    expect(publicDefinition(variable('quantity', 'Número')).default).toBeNull();
    expect(publicDefinition(variable('token', 'Secreto', 'left over')).default).toBe('');
  });
});

describe('names', () => {
  test.each(['total', 'Total_2', '_x', 'a'.repeat(80), 'constructor'])('the name of a variable may be %j', (name) => {
    expect(variableNameProblem(name)).toBeUndefined();
  });

  test.each([
    ['', 'is empty'],
    ['a'.repeat(81), 'is longer than 80 characters'],
    ['1total', 'starts with a digit'],
    ['my total', 'has something other than letters without accents, digits and underscores'],
    ['preço', 'has something other than letters without accents, digits and underscores'],
    ['matrix.total', 'has something other than letters without accents, digits and underscores'],
    ['{total}', 'has something other than letters without accents, digits and underscores'],
    ['total\n', 'has something other than letters without accents, digits and underscores'],
    ['__proto__', 'is reserved'],
  ])('the name of a variable may not be %j: it %s', (name, problem) => {
    expect(variableNameProblem(name)).toBe(problem);
  });
});
