import type { SqlDialect } from '@batuta/flow';
import type { MatrixType } from '@batuta/matrix';
import { prepareStatement, type AuthorStatement } from './prepare-statement';

const VALUES: Record<string, unknown> = {
  name: `'; DROP TABLE x; --`,
  'matrix.total': 1234.5,
  count: 3,
  big: 10n ** 20n,
  list: [1, 'a'],
  row: { id: 7 },
  yes: true,
  none: null,
  at: new Date(Date.UTC(2026, 0, 5)),
  bytes: Buffer.from('é'),
};
const TYPES: Record<string, MatrixType> = { 'matrix.total': 'Moeda' };
const variables = {
  has: (name: string) => Object.hasOwn(VALUES, name),
  get: (name: string) => VALUES[name],
  typeOf: (name: string) => TYPES[name],
};
const prepare = (statement: AuthorStatement, dialect: SqlDialect) => prepareStatement(statement, dialect, variables);

test.each<[SqlDialect, string, string]>([
  ['mysql', 'SELECT ?, {name}, ? + {count}', 'SELECT ?, ?, ? + ?'],
  ['postgres', 'SELECT $1, {name}, $2 + {count}', 'SELECT $1, $3, $2 + $4'],
  ['mssql', 'SELECT @p1, {name}, @p2 + {count}', 'SELECT @p1, @p3, @p2 + @p4'],
])('%s gets a placeholder for each value, and no value in its text', (dialect, sql, text) => {
  const { sql: prepared, parameters } = prepare({ sql, params: ['a', 2] }, dialect);
  expect(prepared).toBe(text);
  const order = dialect === 'mysql' ? ['a', VALUES.name, 2, 3] : ['a', 2, VALUES.name, 3];
  expect(parameters).toEqual(order);
});

test('a variable that is used twice has two parameters, so that each can have the type of its place', () => {
  expect(prepare({ sql: 'SELECT {count}, {count}' }, 'postgres')).toEqual({
    sql: 'SELECT $1, $2',
    parameters: [3, 3],
  });
});

test.each<[string, unknown]>([
  ['{matrix.total}', { decimal: '1234.50' }],
  ['{count}', 3],
  ['{big}', '100000000000000000000'],
  ['{list}', '[1,"a"]'],
  ['{list.1}', 'a'],
  ['{row}', '{"id":7}'],
  ['{yes}', true],
  ['{none}', null],
  ['{row.nothing}', null],
  ['{at}', '2026-01-05T00:00:00.000Z'],
  ['{bytes}', VALUES.bytes],
])('the variable %s is bound as %j, in the SQL and as a text of params', (reference, parameter) => {
  expect(prepare({ sql: reference }, 'mysql').parameters).toEqual([parameter]);
  expect(prepare({ sql: '?', params: [reference] }, 'mysql').parameters).toEqual([parameter]);
});

test('a field of the mapping is bound like a variable', () => {
  const fields = { ...variables, has: (name: string) => name === '{who}', get: () => VALUES.name };
  expect(prepareStatement({ sql: 'SELECT {{who}}, {{other}}' }, 'postgres', fields)).toEqual({
    sql: 'SELECT $1, {{other}}',
    parameters: [VALUES.name],
  });
  expect(() => prepareStatement({ sql: "SELECT '{{who}}'" }, 'postgres', fields)).toThrow(/without quotes/);
});

test('texts within params are rendered for machines, and a parameter keeps its JSON type', () => {
  const params = ['R$ {matrix.total}', 1.5, null, false, { total: '{matrix.total}', note: '{count} x' }];
  expect(prepare({ sql: '?, ?, ?, ?, ?', params }, 'mysql').parameters).toEqual([
    'R$ 1234.50',
    1.5,
    null,
    false,
    '{"total":1234.5,"note":"3 x"}',
  ]);
});

test.each<[SqlDialect, string, unknown[], string]>([
  ['mysql', 'SELECT ?', [], 'sql: its placeholders (?) need 1 values, and params has 0'],
  ['mysql', "SELECT '?'", [1], 'sql: its placeholders (?) need 0 values, and params has 1'],
  ['postgres', 'SELECT $2', [1], 'sql: its placeholders ($1) need 2 values, and params has 1'],
  ['mssql', 'SELECT 1', [1], 'sql: its placeholders (@p1) need 0 values, and params has 1'],
  ['mysql', 'SELECT {gone}', [], 'sql: {gone} is no variable'],
  ['mssql', 'SELECT [{count}]', [], 'sql: {count} stands within quotes, where no parameter can stand'],
  ['mysql', 'SELECT 1 # {count}', [], 'sql: {count} stands within a comment, where no parameter can stand'],
])('for %s the statement %s with params %j is refused', (dialect, sql, params, message) => {
  expect(() => prepare({ sql, params }, dialect)).toThrow(message);
});

test('braces within quotes that name no variable are not changed', () => {
  expect(prepare({ sql: "SELECT '{tag}', {count}" }, 'postgres').sql).toBe("SELECT '{tag}', $1");
});
