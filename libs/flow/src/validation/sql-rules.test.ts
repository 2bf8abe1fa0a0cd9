import { problemsOf } from '../../test/flow-builders';

const problemsOfSql = (fields: object) =>
  problemsOf({ start: 'q', steps: [{ name: 'q', type: 'database', connection: '{vault.DB}', ...fields }] });
const quotedProblem = (name: string, quotes = 'quotes') =>
  `{${name}} stands within ${quotes}, where no parameter can stand: write it without quotes, as in "WHERE name = {${name}}"; ` +
  'braces that are no variable take a space ("{ … }")';

test.each<[string, object, object[]]>([
  ['within quotes', { sql: "SELECT '{stepName}'" }, [{ path: '/steps/0/sql', message: quotedProblem('stepName') }]],
  [
    'in a comment',
    { sql: 'SELECT 1 -- {stepName}' },
    [{ path: '/steps/0/sql', message: quotedProblem('stepName', 'a comment') }],
  ],
  [
    'in one of the statements',
    { statements: [{ sql: 'SELECT 1' }, { sql: 'SELECT "{stepName}"' }] },
    [{ path: '/steps/0/statements/1/sql', message: quotedProblem('stepName') }],
  ],
  [
    'quoted in the dialect of the connection',
    { connection: 'mssql://h/d', sql: 'SELECT [{stepName}]' },
    [{ path: '/steps/0/sql', message: quotedProblem('stepName') }],
  ],
  ['quoted in another dialect only', { connection: 'postgres://h/d', sql: 'SELECT ARRAY[{stepName}]' }, []],
  ['quoted in some of the dialects that the vault may name', { sql: 'SELECT ARRAY[{stepName}]' }, []],
  ['outside of quotes', { sql: "SELECT {stepName}, '{ text }'", params: ['{stepName}'] }, []],
])('a reference in SQL is a problem exactly where no parameter can stand: %s', (_where, fields, expected) => {
  expect(problemsOfSql(fields)).toEqual(expected);
});

test.each<[string, object]>([
  ['neither sql nor statements', {}],
  ['sql and statements', { sql: 'SELECT 1', statements: [{ sql: 'SELECT 1' }] }],
  ['params beside statements', { params: [], statements: [{ sql: 'SELECT 1' }] }],
])('a database step with %s has a problem', (_what, fields) => {
  expect(problemsOfSql(fields)).toContainEqual({ path: '/steps/0', message: 'needs an sql or statements, not both' });
});

test('an unknown variable in any statement or parameter is a problem', () => {
  const statements = [{ sql: 'SELECT {nothing}', params: [{ deep: '{nowhere}' }] }];
  expect(problemsOfSql({ statements }).map(({ path }) => path)).toEqual([
    '/steps/0/statements/0/sql',
    '/steps/0/statements/0/params/0/deep',
  ]);
});
