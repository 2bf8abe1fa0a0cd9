/** Estimated bytes of memory that an object, an array, a property or an element adds to a parsed value, besides its text. */
const OBJECT_BYTES = 64;
const ARRAY_BYTES = 48;
const PROPERTY_BYTES = 48;
const ELEMENT_BYTES = 24;

/**
 * Estimated bytes by the code of the character that begins the object, array, property or further element. It has an entry for each possible
 * byte, because reading beyond the end of an array would take ten times as long.
 */
const BYTES_OF_CHARACTER = new Uint8Array(256);
BYTES_OF_CHARACTER['{'.charCodeAt(0)] = OBJECT_BYTES;
BYTES_OF_CHARACTER['['.charCodeAt(0)] = ARRAY_BYTES;
BYTES_OF_CHARACTER[':'.charCodeAt(0)] = PROPERTY_BYTES;
BYTES_OF_CHARACTER[','.charCodeAt(0)] = ELEMENT_BYTES;

/**
 * Estimated memory of the value that `json` parses to, in bytes: the size of its text (UTF-16 units of a string, bytes of an array), and
 * more for each object, array, property and element. `[{},{},…]` takes about thirty times its text, one long text about its own size. Punctuation
 * inside of texts counts too, and so does a character of a string whose code has the low byte of punctuation, so that an estimate is rather too
 * high.
 */
export function jsonWeight(json: string | Uint8Array): number {
  return typeof json === 'string' ? weightOfText(json) : weightOfBytes(json);
}

/**
 * The cost of parsing and garbage-collecting a JSON text of `bytes` bytes and this weight, expressed as bytes of plain text. Small
 * objects cost far more than their bytes, because all of them survive while the text is parsed: a megabyte of orders
 * costs 2.5 MB, one of `[{},{},…]` 90 MB.
 */
export function costOfJson(bytes: number, weight: number): number {
  return Math.max(bytes, weight ** 2 / (10 * bytes));
}

function weightOfText(json: string): number {
  let weight = json.length;
  for (let index = 0; index < json.length; index += 1) weight += BYTES_OF_CHARACTER[json.charCodeAt(index) & 0xff] ?? 0;
  return weight;
}

function weightOfBytes(json: Uint8Array): number {
  let weight = json.length;
  for (let index = 0; index < json.length; index += 1) weight += BYTES_OF_CHARACTER[json[index] ?? 0] ?? 0;
  return weight;
}
