/** Matches a number that may become 0: an exponent such as `e-400`, or hundreds of zeros behind the point. */
const MAY_BECOME_ZERO = /\d[eE]-\d{3,}\s*(?:[,\]}]|$)|0\.0{200}/;
/** Strings, which are skipped, and numbers of those forms. Each character belongs to one match at most: the time is linear. */
const STRINGS_AND_SMALL_NUMBERS = /"(?:[^"\\]|\\.)*"|(?<![\d.])(?:\d[\d.]*[eE]-\d{3,}|0\.0{200}\d*(?:[eE][+-]?\d+)?)/g;
const HAS_DIGIT = /^[0.]*[1-9]/;
/** JSON of a number that JSON.parse makes infinite. */
const UNHELD = '1e999';

/**
 * JSON.parse, but a number that no double holds never becomes another number: both `1e400` and `1e-400` become infinite, which
 * `jsonObstacle` finds. Other numbers become the nearest double. Throws SyntaxError.
 */
export function parseJsonText(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const marked = markVanished(text);
  return marked === text ? value : JSON.parse(marked);
}

/** The JSON text with a number that becomes infinite in the place of each one that would become 0. */
function markVanished(text: string): string {
  if (!MAY_BECOME_ZERO.test(text)) return text;
  // A reviver could see each number's text, but takes seconds for a megabyte of small nodes.
  return text.replace(STRINGS_AND_SMALL_NUMBERS, (match) => (hasVanished(match) ? UNHELD : match));
}

function hasVanished(match: string): boolean {
  return !match.startsWith('"') && Number(match) === 0 && HAS_DIGIT.test(match);
}
