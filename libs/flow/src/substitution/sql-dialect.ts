/** The dialects of SQL that a `database` step supports; the scheme of its connection URL decides which one applies. */
export type SqlDialect = 'mysql' | 'postgres' | 'mssql';

const DIALECT_OF_SCHEME: Readonly<Record<string, SqlDialect>> = {
  mysql: 'mysql',
  mariadb: 'mysql',
  postgres: 'postgres',
  postgresql: 'postgres',
  mssql: 'mssql',
  sqlserver: 'mssql',
};

export const SQL_DIALECTS: readonly SqlDialect[] = ['mysql', 'postgres', 'mssql'];

/** The dialect of a connection URL; undefined when its scheme names none, for example while it is still `{vault.KEY}`. */
export function sqlDialectOf(connection: string): SqlDialect | undefined {
  const [, scheme = ''] = /^([a-z]+):\/\//i.exec(connection) ?? [];
  return Object.hasOwn(DIALECT_OF_SCHEME, scheme.toLowerCase()) ? DIALECT_OF_SCHEME[scheme.toLowerCase()] : undefined;
}

/** What encloses a quoted part of SQL, in the words of the messages. */
export type QuotedPlace = 'quotes' | 'a comment';

export interface QuotedPart {
  place: QuotedPlace;
  /** Position after the part. */
  end: number;
}

/**
 * The quoted text, quoted name or comment that begins at `position`; undefined when none begins there. An unclosed part reaches to the end of
 * the SQL.
 */
export function quotedPartAt(sql: string, position: number, dialect: SqlDialect): QuotedPart | undefined {
  switch (sql[position]) {
    case "'":
      return quotedText(endOfQuotes(sql, position, "'", hasBackslashes(sql, position, dialect)));
    case '"':
      return quotedText(endOfQuotes(sql, position, '"', dialect === 'mysql'));
    case '`':
      return dialect === 'mysql' ? quotedText(endOfQuotes(sql, position, '`', false)) : undefined;
    case '[':
      return dialect === 'mssql' ? quotedText(endOfQuotes(sql, position, ']', false)) : undefined;
    case '$':
      return dialect === 'postgres' ? dollarQuotes(sql, position) : undefined;
    case '#':
      return dialect === 'mysql' ? quotedComment(endOfLine(sql, position)) : undefined;
    case '-':
      return lineComment(sql, position, dialect);
    case '/':
      return sql[position + 1] === '*' ? quotedComment(endOfBlock(sql, position, dialect !== 'mysql')) : undefined;
    default:
      return undefined;
  }
}

function quotedText(end: number): QuotedPart {
  return { place: 'quotes', end };
}

function quotedComment(end: number): QuotedPart {
  return { place: 'a comment', end };
}

/** MySQL reads `\'` as a quote within every text, PostgreSQL only within `E'…'`. */
function hasBackslashes(sql: string, position: number, dialect: SqlDialect): boolean {
  if (dialect === 'mysql') return true;
  return dialect === 'postgres' && /(?:^|[^\p{L}\p{N}_$])[eE]$/u.test(sql.slice(Math.max(0, position - 3), position));
}

/** A doubled closing quote is a quote within the text. */
function endOfQuotes(sql: string, position: number, closing: string, backslashes: boolean): number {
  for (let at = position + 1; at < sql.length; at += 1) {
    if (backslashes && sql[at] === '\\') at += 1;
    else if (sql[at] === closing && sql[at + 1] === closing) at += 1;
    else if (sql[at] === closing) return at + 1;
  }
  return sql.length;
}

const DOLLAR_TAG = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;

/** A text quoted as `$tag$ … $tag$`; a `$` within a name such as `a$b$c` begins no quoted text. */
function dollarQuotes(sql: string, position: number): QuotedPart | undefined {
  if (/[\p{L}\p{N}_$]/u.test(sql[position - 1] ?? ' ')) return undefined;
  DOLLAR_TAG.lastIndex = position;
  const [tag] = DOLLAR_TAG.exec(sql) ?? [];
  if (tag === undefined) return undefined;
  const end = sql.indexOf(tag, position + tag.length);
  return quotedText(end < 0 ? sql.length : end + tag.length);
}

/** A comment that begins with `--`; in MySQL only if a space follows, because there `5--3` is a calculation. */
function lineComment(sql: string, position: number, dialect: SqlDialect): QuotedPart | undefined {
  if (sql[position + 1] !== '-') return undefined;
  if (dialect === 'mysql' && !/^(?:\s|$)/.test(sql.slice(position + 2, position + 3))) return undefined;
  return quotedComment(endOfLine(sql, position));
}

function endOfLine(sql: string, position: number): number {
  const end = sql.indexOf('\n', position);
  return end < 0 ? sql.length : end + 1;
}

function endOfBlock(sql: string, position: number, nested: boolean): number {
  let depth = 1;
  for (let at = position + 2; at < sql.length; at += 1) {
    const two = sql.slice(at, at + 2);
    if (two === '*/') {
      depth -= 1;
      at += 1;
      if (depth === 0) return at + 1;
    } else if (nested && two === '/*') {
      depth += 1;
      at += 1;
    }
  }
  return sql.length;
}
