/** What a number literal that becomes 0 must contain, such as `1e-400`; the second form is one without or with a short exponent. */
const MAY_BECOME_ZERO = /\d[eE]-\d{3,}\s*(?:[,\]}]|$)|0{200}/;

/**
 * JSON.parse, but a number that no double holds never becomes another number: `1e400` becomes Infinity and `1e-400` NaN, which
 * `jsonObstacle` finds. Other numbers become the nearest double. Throws SyntaxError.
 */
export function parseJsonText(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return MAY_BECOME_ZERO.test(text) ? withVanishedNumbers(text, value) : value;
}

/** Parsing with a reviver takes several times as long, so that only suspicious texts are parsed with one. */
function withVanishedNumbers(text: string, parsed: unknown): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
      value === 0 && hasVanished(context?.source ?? '') ? NaN : value,
    );
  } catch {
    // Unlike JSON.parse, a reviver recurses: deep nesting overflows the stack, and is refused as such.
    return parsed;
  }
}

function hasVanished(literal: string): boolean {
  const [digits = ''] = literal.split(/e/i);
  return /[1-9]/.test(digits);
}
