/** Replaces lone surrogates, which a cut may leave and which neither UTF-8 nor a database can store. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\u{fffd}');
}
