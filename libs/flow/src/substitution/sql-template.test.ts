import * as fc from 'fast-check';
import { SQL_DIALECTS, sqlDialectOf, type SqlDialect } from './sql-dialect';
import { parseSql } from './sql-template';

/** The SQL with its parts marked: `<a>` is a reference that may become a parameter, `|a|` a quoted reference, `(…)` a placeholder. */
function markReferences(sql: string, dialect: SqlDialect): string {
  return parseSql(sql, dialect)
    .map((part) => {
      if (part.kind === 'text') return part.text;
      if (part.kind === 'placeholder') return `(${part.source})`;
      return part.kind === 'reference' ? `<${part.name}>` : `|${part.name}|`;
    })
    .join('');
}

const ALL_DIALECTS = SQL_DIALECTS;
const MYSQL = ['mysql'] as const;
const POSTGRES = ['postgres'] as const;
const SQL_SERVER = ['mssql'] as const;

test.each<[string, string, readonly SqlDialect[]]>([
  ['SELECT {a}, {b.c}, {vault.K}', 'SELECT <a>, <b.c>, <vault.K>', ALL_DIALECTS],
  ["'{a}' {b}", "'|a|' <b>", ALL_DIALECTS],
  ["'it''s {a}' {b}", "'it''s |a|' <b>", ALL_DIALECTS],
  ['"{a}" {b}', '"|a|" <b>', ALL_DIALECTS],
  ['-- {a}\n{b}', '-- |a|\n<b>', ALL_DIALECTS],
  ['/* {a} */ {b}', '/* |a| */ <b>', ALL_DIALECTS],
  ["'{a}", "'|a|", ALL_DIALECTS],
  ['/* {a}', '/* |a|', ALL_DIALECTS],
  ["{a}'{b}'{c}", "<a>'|b|'<c>", ALL_DIALECTS],
  ['{ a } {"b": 1} {1} {{c}}', '{ a } {"b": 1} {1} {{c}}', ALL_DIALECTS],
  ["'\\'' {a} '", "'\\'' <a> '", MYSQL],
  ["'\\' {a} ''", "'\\' |a| ''", MYSQL],
  ["'\\' {a} ''", "'\\' <a> ''", [...POSTGRES, ...SQL_SERVER]],
  ["E'\\' {a} ' {b}", "E'\\' |a| ' <b>", POSTGRES],
  ["name'\\' {a}", "name'\\' <a>", POSTGRES],
  ['`{a}` {b}', '`|a|` <b>', MYSQL],
  ['[{a}] {b}', '[|a|] <b>', SQL_SERVER],
  ['ARRAY[{a}] {b}', 'ARRAY[<a>] <b>', POSTGRES],
  ['# {a}\n{b}', '# |a|\n<b>', MYSQL],
  ['x # {a}\n{b}', 'x # <a>\n<b>', [...POSTGRES, ...SQL_SERVER]],
  ['5--{a}\n{b}', '5--<a>\n<b>', MYSQL],
  ['5--{a}\n{b}', '5--|a|\n<b>', [...POSTGRES, ...SQL_SERVER]],
  ['/* /* {a} */ {b} */ {c}', '/* /* |a| */ <b> */ <c>', MYSQL],
  ['/* /* {a} */ {b} */ {c}', '/* /* |a| */ |b| */ <c>', [...POSTGRES, ...SQL_SERVER]],
  ['$$ {a} $1 $$ {b}', '$$ |a| $1 $$ <b>', POSTGRES],
  ['$x$ {a} $$ {b} $x$ {c}', '$x$ |a| $$ |b| $x$ <c>', POSTGRES],
  ['a$b$ {c}', 'a$b$ <c>', POSTGRES],
  ["? '?' {a} ?", "(?) '?' <a> (?)", MYSQL],
  ["$1 '$2' a$3 {a} $12", "($1) '$2' a$3 <a> ($12)", POSTGRES],
  ["@p1 '@p2' @p3x @@p4 {a} @P12", "(@p1) '@p2' @p3x @@p4 <a> (@P12)", SQL_SERVER],
  ['data ? {a}', 'data ? <a>', [...POSTGRES, ...SQL_SERVER]],
])('the SQL %s is read as %s by %j', (sql, parts, dialects) => {
  for (const dialect of dialects) expect(markReferences(sql, dialect)).toBe(parts);
});

test('the joined parts of any SQL text are the text, whatever its quotes are', () => {
  const sql = fc.array(
    fc.constantFrom(
      "'",
      '"',
      '`',
      '[',
      ']',
      '$$',
      '$a$',
      '--',
      ' ',
      '#',
      '\n',
      '/*',
      '*/',
      '\\',
      '{a}',
      '?',
      '$1',
      '@p1',
      'E',
      'x',
    ),
  );
  const source = (part: ReturnType<typeof parseSql>[number]) => (part.kind === 'text' ? part.text : part.source);
  fc.assert(
    fc.property(sql, fc.constantFrom(...SQL_DIALECTS), (pieces, dialect) => {
      const text = pieces.join('');
      expect(parseSql(text, dialect).map(source).join('')).toBe(text);
    }),
  );
});

test.each<[string, SqlDialect | undefined]>([
  ['mysql://h', 'mysql'],
  ['MariaDB://h', 'mysql'],
  ['postgres://h', 'postgres'],
  ['postgresql://h', 'postgres'],
  ['mssql://h', 'mssql'],
  ['sqlserver://h', 'mssql'],
  ['{vault.DB}', undefined],
  ['constructor://h', undefined],
])('the dialect of %s is %s', (connection, dialect) => {
  expect(sqlDialectOf(connection)).toBe(dialect);
});
