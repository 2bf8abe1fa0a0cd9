import { UNITS_PER_COMPOSED } from '@batuta/auth';

// Characters that a text of one line, and a text of several lines, must not contain: lone surrogates cannot be stored as UTF-8, and control
// characters would break a line, a log or a terminal.
const UNPRINTABLE_CHARACTER = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
const UNPRINTABLE_IN_PROSE = /[\p{Cs}]|(?![\n\t\r])\p{Cc}/u;

/** In characters, as `lengthOf` counts them; both inclusive. */
export const PASSWORD_LENGTH = { min: 10, max: 200 };

/** The number of characters: Unicode code points, as a VARCHAR column counts them. */
export function lengthOf(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/**
 * Unicode form NFC of a text of at most `max` characters. A text that is too long even when composed is returned
 * unchanged, because composing a megabyte of accents takes a minute.
 */
export function toNFC(text: string, max: number): string {
  return text.length > UNITS_PER_COMPOSED * max ? text : text.normalize('NFC');
}

/** The text without white space at its ends, as `toNFC` returns it: that white space does not count for `max`. */
export function trimText(text: string, max: number): string {
  return toNFC(text.trim(), max);
}

/** True when every character can stand in one line. */
export function isPrintable(text: string): boolean {
  return !UNPRINTABLE_CHARACTER.test(text);
}

/** True when every character can stand in a text of several lines. */
export function isPrintableProse(text: string): boolean {
  return !UNPRINTABLE_IN_PROSE.test(text);
}

/** The password in the form in which it is hashed; undefined for one that no account may have. */
export function readPassword(text: string): string | undefined {
  const password = toNFC(text, PASSWORD_LENGTH.max);
  return hasLength(password, PASSWORD_LENGTH) && isPrintable(password) ? password : undefined;
}

function hasLength(text: string, { min, max }: { min: number; max: number }): boolean {
  const length = lengthOf(text);
  return length >= min && length <= max;
}
