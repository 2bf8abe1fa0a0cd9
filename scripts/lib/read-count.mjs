/** A whole number from 1 to `most` as an option of a command line; `otherwise` where the option is absent. Throws with a sentence. */
export function readCount(name, text, otherwise, most) {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1 && (most === undefined || value <= most)) return value;
  throw new Error(`${name}: a whole number from 1${most === undefined ? '' : ` to ${most}`}`);
}
