export const LANGUAGES = ['pt-BR', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];
/** The language at the first visit when neither the user's choice nor the browser names a known one. */
export const FALLBACK_LANGUAGE: Language = 'pt-BR';
export const COMMON_NAMESPACE = 'common';

/** The language of the pages for a language tag of a browser, such as `pt` or `en-GB`; undefined for a language that they lack. */
export function languageOf(tag: string | null): Language | undefined {
  const primary = tag?.split('-', 1)[0]?.toLowerCase();
  return LANGUAGES.find((language) => language.split('-', 1)[0] === primary);
}
