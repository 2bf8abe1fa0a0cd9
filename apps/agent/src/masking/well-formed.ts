/** Text without halves of surrogate pairs, which neither UTF-8 nor a database can hold; a cut may leave one. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\u{fffd}');
}
