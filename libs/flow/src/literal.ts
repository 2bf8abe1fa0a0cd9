import { plainValue } from './plain-value';

/**
 * A value as one JavaScript literal in parentheses, so that `{x}.length`, `2-{x}` and `return{x}` mean what they look
 * like, also for negative numbers and objects. Dates and binary content are text, undefined is null.
 */
export function literalOf(value: unknown): string {
  return `(${literal(value)})`;
}

/**
 * Text for the inside of a string literal of any quote kind. Everything but letters and digits is escaped, and the
 * first character always: `\x..` is valid inside strings and nowhere else, so even where a script's quotes were
 * misread the outcome is a syntax error or inert text, never code made of the value.
 */
export function stringContent(text: string): string {
  return escaped(text.slice(0, 1)) + text.slice(1).replaceAll(/[^A-Za-z0-9_]/g, escaped);
}

function literal(value: unknown): string {
  const plain = plainValue(value);
  if (typeof plain === 'string') return `"${stringContent(plain)}"`;
  if (typeof plain === 'number') return Object.is(plain, -0) ? '-0' : String(plain);
  if (typeof plain === 'boolean') return String(plain);
  if (Array.isArray(plain)) return `[${Array.from(plain, (item) => literal(item)).join(',')}]`;
  if (typeof plain !== 'object' || plain === null) return 'null';
  return `{${Object.entries(plain).map(entry).join(',')}}`;
}

// Computed, because a plain `"__proto__": …` in a literal would set the prototype instead of a key.
function entry([key, value]: [string, unknown]): string {
  return `["${stringContent(key)}"]:${literal(value)}`;
}

function escaped(character: string): string {
  if (character === '') return '';
  const code = character.charCodeAt(0).toString(16);
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
}
