import { quotedPartAt, type SqlDialect } from '@batuta/flow';

const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy;
const VERBS_AFTER_WITH = new Set(['select', 'insert', 'update', 'delete', 'merge']);

/**
 * The word that says what a statement does, in lower case: its first word, or after `WITH` the first verb outside of the parentheses of
 * the common table expressions. Empty text for a statement without such a word. A name after `WITH`, `WITH RECURSIVE` or a comma is no
 * verb, because PostgreSQL allows the verbs as names.
 */
export function statementVerb(sql: string, dialect: SqlDialect): string {
  let depth = 0;
  let isAfterWith = false;
  let isName = false;
  for (let position = 0; position < sql.length;) {
    const quoted = quotedPartAt(sql, position, dialect);
    WORD.lastIndex = position;
    const word = quoted ? undefined : WORD.exec(sql)?.[0].toLowerCase();
    if (word !== undefined && !isAfterWith) {
      if (word !== 'with') return word;
      [isAfterWith, isName] = [true, true];
    } else if (word !== undefined && depth === 0) {
      if (!isName && VERBS_AFTER_WITH.has(word)) return word;
      isName = word === 'recursive';
    }
    if (sql[position] === ',' && depth === 0) isName = true;
    if (sql[position] === '(') depth += 1;
    if (sql[position] === ')') depth -= 1;
    position = quoted?.end ?? position + (word?.length ?? 1);
  }
  return '';
}
