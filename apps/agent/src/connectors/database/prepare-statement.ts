import {
  parseSql,
  plainValue,
  messageOfQuotedReference,
  renderParameter,
  resolveReference,
  variableOf,
  type SqlDialect,
  type ReadableVariables,
} from '@batuta/flow';
import { formatForMachine, type MatrixType } from '@batuta/matrix';
import { StepError } from '../../step-error';

/** `decimal` = an exact decimal number as text. */
export type SqlParameter = null | boolean | number | string | Uint8Array | { decimal: string };

/** A statement for the driver: the SQL has a placeholder in place of each parameter, and contains no value. */
export interface PreparedStatement {
  sql: string;
  parameters: SqlParameter[];
}

/** A statement as its author wrote it. */
export interface AuthorStatement {
  sql: string;
  params?: readonly unknown[] | undefined;
}

/**
 * Replaces each `{name}` of the SQL by a placeholder of the dialect. Throws StepError for a reference inside of quotes
 * or a comment, for an unknown variable, and when the number of placeholders and of `params` differ.
 */
export function prepareStatement(
  { sql, params = [] }: AuthorStatement,
  dialect: SqlDialect,
  variables: ReadableVariables,
): PreparedStatement {
  const positional = params.map((param) => parameterOf(renderParameter(param, variables)));
  const parts = parseSql(sql, dialect, (name) => variableOf(name, variables) !== undefined);
  const used = parts.flatMap((part) => (part.kind === 'placeholder' ? [part.number] : []));
  checkPlaceholders(used, positional.length, dialect);

  // MySQL has unnumbered placeholders, so its parameters are listed in the order of the text.
  const parameters: SqlParameter[] = dialect === 'mysql' ? [] : [...positional];
  const bind = (parameter: SqlParameter) => placeholder(dialect, parameters.push(parameter));
  const text = parts.map((part) => {
    if (part.kind === 'text') return part.text;
    if (part.kind === 'placeholder') return dialect === 'mysql' ? bind(positional.shift() ?? null) : part.source;
    const found = resolveReference(part.name, variables);
    if (part.kind === 'reference') {
      if (!found) throw new StepError(`sql: ${part.source} is no variable`);
      return bind(parameterOf(found));
    }
    if (found) throw new StepError(`sql: ${messageOfQuotedReference(part.source, part.place)}`);
    return part.source;
  });
  return { sql: text.join(''), parameters };
}

function placeholder(dialect: SqlDialect, number: number): string {
  return { mysql: '?', postgres: `$${number}`, mssql: `@p${number}` }[dialect];
}

function checkPlaceholders(used: (number | undefined)[], given: number, dialect: SqlDialect): void {
  const needed = dialect === 'mysql' ? used.length : Math.max(0, ...used.map((number) => number ?? 0));
  if (needed === given) return;
  const form = { mysql: '?', postgres: '$1', mssql: '@p1' }[dialect];
  throw new StepError(`sql: its placeholders (${form}) need ${needed} values, and params has ${given}`);
}

/** Converts a variable to a parameter: Moeda with a dot and two decimals, lists and objects as JSON, empty as NULL. */
function parameterOf({ value, type }: { value: unknown; type?: MatrixType | undefined }): SqlParameter {
  if (value instanceof Uint8Array) return value;
  const plain = plainValue(value);
  if (plain === null || typeof plain === 'string' || typeof plain === 'boolean') return plain;
  if (typeof plain !== 'number') return JSON.stringify(plain);
  return type === 'Moeda' ? { decimal: formatForMachine('Moeda', plain) } : plain;
}
