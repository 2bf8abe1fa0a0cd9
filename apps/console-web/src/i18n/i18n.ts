import type { BackendModule, ReadCallback } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { importOrReport } from '../load-failures';
import { i18n } from './instance';
import { COMMON_NAMESPACE, FALLBACK_LANGUAGE, languageOf, LANGUAGES, type Language } from './languages';

const LANGUAGE_KEY = 'batuta.language';

/** Texts are files of their own: `features/<namespace>/locales/<language>.json`, read when a screen first needs them. */
const featureTexts = import.meta.glob<{ default: object }>('../features/*/locales/*.json');
const commonTexts = import.meta.glob<{ default: object }>('../common/locales/*.json');

const textFiles: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read: (language, namespace, done) => {
    void answerWithTexts(language, namespace, done);
  },
};

/**
 * Starts with the language that the user chose earlier, or else with that of the browser. Rejects when the common texts of this language do
 * not load.
 */
export async function startI18n(): Promise<void> {
  i18n.on('languageChanged', (language) => {
    document.documentElement.lang = language;
  });
  await i18n
    .use(textFiles)
    .use(initReactI18next)
    .init({
      lng: startLanguage(),
      supportedLngs: LANGUAGES,
      load: 'currentOnly',
      ns: [COMMON_NAMESPACE],
      defaultNS: COMMON_NAMESPACE,
      fallbackLng: false,
      // React escapes texts itself.
      interpolation: { escapeValue: false },
    });
  if (!i18n.hasResourceBundle(i18n.language, COMMON_NAMESPACE)) throw new Error('the texts did not load');
}

/** Begins to load the texts of a screen while its script loads; a failure is left to `loadTexts`. */
export function prefetchTexts(namespaces: readonly string[]): void {
  for (const namespace of namespaces)
    void readTexts(i18n.language ?? startLanguage(), namespace).catch(() => undefined);
}

/**
 * Resolves when the texts are loaded, or failed to load. A component without its texts would replace the screen until they
 * are loaded, and what the user has typed would be lost.
 */
export async function loadTexts(namespaces: string[]): Promise<void> {
  if (!i18n.isInitialized) await new Promise<void>((resolve) => i18n.on('initialized', () => resolve()));
  await i18n.loadNamespaces(namespaces);
}

/** Loads the texts of the language, shows the page in it, and remembers it in this browser. */
export async function changeLanguage(language: Language): Promise<void> {
  localStorage.setItem(LANGUAGE_KEY, language);
  await i18n.changeLanguage(language);
}

function startLanguage(): Language {
  return languageOf(localStorage.getItem(LANGUAGE_KEY)) ?? languageOfBrowser();
}

function languageOfBrowser(): Language {
  return navigator.languages.map((tag) => languageOf(tag)).find((known) => known !== undefined) ?? FALLBACK_LANGUAGE;
}

async function answerWithTexts(language: string, namespace: string, done: ReadCallback): Promise<void> {
  try {
    const texts = await readTexts(language, namespace);
    done(null, texts);
  } catch (error) {
    // With `true` i18next tries again.
    done(error instanceof Error ? error : String(error), true);
  }
}

async function readTexts(language: string, namespace: string): Promise<Record<string, unknown>> {
  const load =
    namespace === COMMON_NAMESPACE
      ? commonTexts[`../common/locales/${language}.json`]
      : featureTexts[`../features/${namespace}/locales/${language}.json`];
  if (!load) throw new Error(`no texts ${namespace} in ${language}`);
  return { ...(await importOrReport(load())).default };
}
