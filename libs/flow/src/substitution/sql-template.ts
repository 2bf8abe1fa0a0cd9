import { quotedPartAt, type SqlDialect, type QuotedPlace } from './sql-dialect';
import { bracesAt, parseTemplate, type IsVariable } from './template';

/**
 * A piece of SQL: plain text, a reference outside of quotes, a reference within quotes or a comment, or a placeholder for one
 * of the `params`: `?` in MySQL, `$1` in PostgreSQL, `@p1` in SQL Server.
 */
export type SqlPart =
  | { kind: 'text'; text: string }
  | { kind: 'reference'; name: string; source: string }
  | { kind: 'quoted'; name: string; source: string; place: QuotedPlace }
  | { kind: 'placeholder'; source: string; number?: number };

const PLACEHOLDERS: Record<SqlDialect, RegExp> = {
  mysql: /\?/y,
  postgres: /\$(\d{1,5})/y,
  mssql: /@p(\d{1,5})(?![\p{L}\p{N}_@$#])/iuy,
};

/** Splits SQL by the rules of its dialect, so that the value of a reference is sent as a parameter and never becomes part of the SQL. */
export function parseSql(sql: string, dialect: SqlDialect, isVariable?: IsVariable): SqlPart[] {
  const parts: SqlPart[] = [];
  let plainFrom = 0;
  let position = 0;
  const add = (found: SqlPart[], end: number) => {
    if (position > plainFrom) parts.push({ kind: 'text', text: sql.slice(plainFrom, position) });
    parts.push(...found);
    plainFrom = position = end;
  };
  while (position < sql.length) {
    const quoted = quotedPartAt(sql, position, dialect);
    const braces = quoted ? undefined : bracesAt(sql, position, isVariable);
    const placeholder = quoted || braces ? undefined : placeholderAt(sql, position, dialect);
    if (quoted) {
      const content = sql.slice(position, quoted.end);
      add(quotedParts(content, quoted.place, isVariable), quoted.end);
    } else if (braces?.kind === 'reference') {
      add([{ kind: 'reference', name: braces.name, source: sql.slice(position, braces.end) }], braces.end);
    } else if (placeholder) {
      add([placeholder], position + placeholder.source.length);
    } else {
      position = braces?.end ?? position + 1;
    }
  }
  add([], sql.length);
  return parts;
}

function quotedParts(content: string, place: QuotedPlace, isVariable?: IsVariable): SqlPart[] {
  return parseTemplate(content, isVariable).map((part) =>
    part.kind === 'text' ? part : { kind: 'quoted', name: part.name, source: part.source, place },
  );
}

function placeholderAt(
  sql: string,
  position: number,
  dialect: SqlDialect,
): Extract<SqlPart, { kind: 'placeholder' }> | undefined {
  // `$1` within a name such as `a$1`, or `@p1` within SQL Server's `@@p1`, is not a placeholder.
  if (dialect !== 'mysql' && /[\p{L}\p{N}_@$#]/u.test(sql[position - 1] ?? ' ')) return undefined;
  const pattern = PLACEHOLDERS[dialect];
  pattern.lastIndex = position;
  const [source, number] = pattern.exec(sql) ?? [];
  if (source === undefined) return undefined;
  return { kind: 'placeholder', source, ...(number !== undefined && { number: Number(number) }) };
}
