import { readFileSync } from 'node:fs';
import { AGENT_OPTIONS } from './options';

/**
 * Reads a settings file: a JSON object whose names are those of the options, such as
 * `{"url": "https://…", "key-file": "/etc/batuta-agent/key", "deny-hosts": ["10.0.0.0/8"]}`. Returns the values by variable.
 * Throws one Error that names every wrong name, and never repeats a value, which may be a secret.
 */
export function readSettingsFile(path: string): Record<string, string> {
  const given = readObject(path);
  const problems: string[] = [];
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const option = AGENT_OPTIONS.find((known) => known.name === name);
    const text = textOf(value);
    if (!option) problems.push(`"${name}" is no setting; the names are those of the options in --help, without dashes`);
    else if (text === undefined) problems.push(`"${name}" must be a text, a number or a list of texts`);
    else values[option.variable] = text;
  }
  if (problems.length > 0) throw new Error(`The settings file ${path} is wrong:\n  ${problems.join('\n  ')}`);
  return values;
}

function readObject(path: string): object {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    if (!(error instanceof SyntaxError))
      throw new Error(`The settings file ${path} cannot be read: ${messageOf(error)}`, { cause: error });
    // The message of the parser repeats a part of the file.
    throw new Error(`The settings file ${path} is not JSON`, { cause: error });
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  throw new Error(`The settings file ${path} must be a JSON object`);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value.join(',') : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
