import { quotedPartAt, type SqlDialect } from '@batuta/flow';

/** The first word of a statement in lower case, after its comments. */
export function firstWord(sql: string, dialect: SqlDialect): string {
  let position = 0;
  for (;;) {
    position = sql.length - sql.slice(position).trimStart().length;
    const part = quotedPartAt(sql, position, dialect);
    if (part?.quotes !== 'a comment') break;
    position = part.end;
  }
  const [word = ''] = /^[a-z]+/i.exec(sql.slice(position)) ?? [];
  return word.toLowerCase();
}
