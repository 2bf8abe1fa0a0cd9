import { usageError } from '../exit-codes';
import { readText, withoutByteOrderMark } from '../files/read-text';
import { parseJsonText, sentMatrixProblem } from '@batuta/matrix';
import { isRecord, type JsonRecord } from '@batuta/process-files';
import type { Terminal } from '../terminal/terminal';

export interface ValueOptions {
  /** Each `name=text`, or `name:=json`. */
  value?: string[];
  /** The path of a file with a JSON object; `-` = the standard input. */
  values?: string;
}

/**
 * The Matrix values of a start or a schedule: those of the file, overridden by single values, of which the last one of a name counts. Throws
 * CommandFailure for a file or a value that cannot be read or sent.
 */
export async function readValues({ value = [], values }: ValueOptions, terminal: Terminal): Promise<JsonRecord> {
  const fromFile = values === undefined ? {} : parseValues(values, await textOf(values, terminal));
  const matrix = { ...fromFile, ...Object.fromEntries(value.map(parseValue)) };
  // JSON would pass on a number that no double holds as null, for which the default applies.
  const problem = sentMatrixProblem(matrix);
  if (problem !== undefined) throw usageError(problem);
  return matrix;
}

/** Parses `name=text`, or `name:=json` for a number, a list or an object. */
function parseValue(text: string): [string, unknown] {
  const separator = text.indexOf('=');
  if (separator < 1) throw usageError(`--value ${JSON.stringify(text)}: must be name=text, or name:=json`);
  const name = text.slice(0, separator);
  const value = text.slice(separator + 1);
  if (!name.endsWith(':')) return [name, value];
  try {
    return [name.slice(0, -1), parseJsonText(value)];
  } catch {
    throw usageError(`--value ${name.slice(0, -1)}: ${JSON.stringify(value)} is not JSON`);
  }
}

function parseValues(file: string, text: string): JsonRecord {
  try {
    const values: unknown = parseJsonText(text);
    if (isRecord(values)) return values;
  } catch {
    // Ignored: invalid JSON gets the same message as JSON that is no object.
  }
  throw usageError(`--values ${file}: must hold a JSON object of values by the names of variables`);
}

async function textOf(file: string, terminal: Terminal): Promise<string> {
  if (file === '-') return withoutByteOrderMark(await terminal.input.readAll());
  try {
    return readText(file);
  } catch {
    throw usageError(`--values ${file}: cannot be read`);
  }
}
