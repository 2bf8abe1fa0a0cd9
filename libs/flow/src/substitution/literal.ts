import { plainValue } from '../variables/plain-value';

/**
 * A value as a JavaScript literal in parentheses. The parentheses keep `{x}.length`, `2-{x}` and `return{x}` valid for negative numbers
 * and objects. `plainValue` replaces values that JSON lacks.
 */
export function literalOf(value: unknown): string {
  return `(${plainLiteral(value)})`;
}

/**
 * Text for the inside of a string literal with any kind of quotes. Escapes the first character, which could prolong an escape such as `\0` in
 * front of it, and every other one that is not an ASCII letter, a digit or `_`. Escapes are valid only inside strings: if the scanner misreads
 * the quotes of a script, the result is a syntax error or harmless text, never code that comes from the value.
 */
export function stringContent(text: string): string {
  return escapedCharacter(text.slice(0, 1)) + text.slice(1).replaceAll(/[^A-Za-z0-9_]/g, escapedCharacter);
}

function plainLiteral(value: unknown): string {
  const plain = plainValue(value);
  if (typeof plain === 'string') return `"${stringContent(plain)}"`;
  if (typeof plain === 'number') return Object.is(plain, -0) ? '-0' : String(plain);
  if (typeof plain === 'boolean') return String(plain);
  if (Array.isArray(plain)) return `[${Array.from(plain, (item) => plainLiteral(item)).join(',')}]`;
  if (typeof plain !== 'object' || plain === null) return 'null';
  return `{${Object.entries(plain).map(propertyLiteral).join(',')}}`;
}

// The key is computed (`["key"]: …`), because `"__proto__": …` in a literal sets the prototype instead of a key.
function propertyLiteral([key, value]: [string, unknown]): string {
  return `["${stringContent(key)}"]:${plainLiteral(value)}`;
}

function escapedCharacter(character: string): string {
  if (character === '') return '';
  const code = character.charCodeAt(0).toString(16);
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
}
