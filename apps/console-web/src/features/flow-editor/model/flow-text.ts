import type { TextRange } from './text-places';

/** A number in a text that no double holds: `JSON.parse` makes it Infinity, because it is too large, or 0, because it is too small. */
export interface UnheldNumber extends TextRange {
  /** The number as it was typed; only its beginning when it is long. */
  number: string;
}

const STRINGS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d[\d.]*(?:[eE][+-]?\d+)?/g;
const MAX_SHOWN_CHARACTERS = 40;

/** Formatted JSON, as the text view shows a flow and JSON fields their value. Equal texts also tell that two flows are equal. */
export function flowTextOf(flow: unknown): string {
  return JSON.stringify(flow, null, 2);
}

/**
 * The JSON of a text that was typed or pasted; undefined when the text is not JSON, or has a number that no double holds, for which a save would
 * send null or 0.
 */
export function parseFlowText(text: string): { json: unknown } | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return findUnheldNumber(text) ? undefined : { json };
  } catch {
    return undefined;
  }
}

/** The first number that no double holds, such as `1e400` and `1e-400`, in a text that is JSON; undefined for any other text. */
export function unheldNumberIn(text: string): UnheldNumber | undefined {
  return isJson(text) ? findUnheldNumber(text) : undefined;
}

/** As `unheldNumberIn`, for a text that is known to be JSON. */
function findUnheldNumber(text: string): UnheldNumber | undefined {
  for (const { 0: found, index: from } of text.matchAll(STRINGS_AND_NUMBERS)) {
    if (found.startsWith('"') || !isUnheld(found)) continue;
    const number = found.length > MAX_SHOWN_CHARACTERS ? `${found.slice(0, MAX_SHOWN_CHARACTERS)}…` : found;
    return { number, from, to: from + found.length };
  }
  return undefined;
}

/** Why a field or a view cannot take the text: it has a number that no double holds, or else it is `notJson`. */
export function messageOfRefusedText(
  text: string,
  t: (key: string, values: { number: string }) => string,
  notJson: string,
): string {
  const unheld = unheldNumberIn(text);
  return unheld ? t('form.unheldNumber', { number: unheld.number }) : notJson;
}

function isUnheld(number: string): boolean {
  const value = Number(number);
  return !Number.isFinite(value) || (value === 0 && /^-?[0.]*[1-9]/.test(number));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
