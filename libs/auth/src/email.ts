/** Characters (Unicode code points) of an e-mail address. */
export const EMAIL_LENGTH = { min: 3, max: 254 };

/**
 * Maximum number of UTF-16 code units that the Unicode forms NFC and NFKC compose into one character. A text of more than this many units for
 * each permitted character is too long in any form.
 */
export const UNITS_PER_COMPOSED = 6;
const EMAIL_PATTERN = /^[^\s@<>()",;:\\]+@[^\s@<>()",;:\\]+$/u;
/** Control, format, private-use and unassigned characters, and characters without a glyph. */
const INVISIBLE_CHARACTER = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * The one form in which an e-mail address is stored and compared: trimmed, in Unicode form NFKC (full-width letters become
 * plain ones) and lower case. Accents stay, because an address without them is another address. A text that is too long in either form
 * is only trimmed, because NFKC takes a minute to sort a megabyte of accents.
 */
export function normalizeEmail(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length > UNITS_PER_COMPOSED * EMAIL_LENGTH.max) return trimmed;
  let form = trimmed;
  // Lower case can leave a text outside of NFKC, and NFKC can leave upper case; after a second round every character of
  // Unicode is stable.
  for (let round = 0; round < 2; round += 1) form = form.normalize('NFKC').toLowerCase();
  return form.normalize('NFKC').trim();
}

/** True for a normalized text in the form of an e-mail address without invisible characters. The length is not checked. */
export function isEmail(text: string): boolean {
  return EMAIL_PATTERN.test(text) && !INVISIBLE_CHARACTER.test(text);
}

/** The normalized e-mail address; undefined for a text that is not an e-mail address or has a length outside of EMAIL_LENGTH. */
export function readEmail(text: string): string | undefined {
  const email = normalizeEmail(text);
  const length = Array.from(email).length;
  return length >= EMAIL_LENGTH.min && length <= EMAIL_LENGTH.max && isEmail(email) ? email : undefined;
}
