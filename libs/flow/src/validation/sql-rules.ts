import type { Step, StepOf } from '../definition/definition';
import type { FlowProblem } from '../definition/problem';
import { sqlDialectOf, SQL_DIALECTS, type SqlDialect, type QuotedPlace } from '../substitution/sql-dialect';
import { parseSql } from '../substitution/sql-template';
import type { KnownNames } from './known-names';

/**
 * A problem for every reference within quotes or a comment of SQL, where no parameter can stand. When the connection comes from the vault,
 * the dialect is not known: then only references that are quoted in every dialect are problems, and the agent finds the others.
 */
export function sqlProblems(step: Step, names: KnownNames): FlowProblem[] {
  if (step.type !== 'database') return [];
  const dialect = sqlDialectOf(step.connection);
  const dialects = dialect ? [dialect] : SQL_DIALECTS;
  return sqlFields(step).flatMap(({ path, sql }) => {
    const [first = new Map<string, QuotedPlace>(), ...others] = dialects.map((each) => quotedIn(sql, each, names));
    const certain = [...first].filter(([reference]) => others.every((quoted) => quoted.has(reference)));
    return certain.map(([reference, place]) => ({ path, message: messageOfQuotedReference(reference, place) }));
  });
}

/** The message about a reference such as `{name}` within quotes or a comment of SQL; the agent, which knows the dialect, uses it too. */
export function messageOfQuotedReference(reference: string, place: QuotedPlace): string {
  return `${reference} stands within ${place}, where no parameter can stand: write it without quotes, as in "WHERE name = ${reference}"; braces that are no variable take a space ("{ … }")`;
}

function sqlFields({ sql, statements = [] }: StepOf<'database'>): { path: string; sql: string }[] {
  const own = sql === undefined ? [] : [{ path: '/sql', sql }];
  return [...own, ...statements.map((statement, index) => ({ path: `/statements/${index}/sql`, sql: statement.sql }))];
}

function quotedIn(sql: string, dialect: SqlDialect, names: KnownNames): Map<string, QuotedPlace> {
  const parts = parseSql(sql, dialect, (name) => names.variableOf(name) !== undefined);
  return new Map(parts.flatMap((part) => (part.kind === 'quoted' ? [[part.source, part.place] as const] : [])));
}
