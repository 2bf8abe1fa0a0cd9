import { i18n } from '../i18n/instance';

const SENTENCE = /^No connected agent of the environment "(?<name>.*)" (?<lacks>(?:runs|knows|reads|has) .*)$/s;
const STEP_TYPES = /^runs (?<types>.*?) steps/;

/** By ability that is not a step type: what the API says that an agent with the ability does. Each has a translation, `abilities.<name>`. */
export const FEATURES = {
  mapping: 'knows the mapping of a step',
  ocr: 'reads the text of pictures',
  sealedValues: 'has a key to which secret values are sealed',
} as const;

/** What the API says about abilities that no agent of an environment has, in the user's language; undefined for any other message. */
export function missingAbilitiesText(message: string): string | undefined {
  const { name, lacks } = SENTENCE.exec(message)?.groups ?? {};
  if (name === undefined || lacks === undefined) return undefined;
  const { types } = STEP_TYPES.exec(lacks)?.groups ?? {};
  const phrases = [
    ...(types === undefined ? [] : [i18n.t('abilities.steps', { types: listOf(types.split(/, and |, | and /)) })]),
    ...Object.entries(FEATURES).flatMap(([feature, text]) =>
      lacks.includes(text) ? [i18n.t(`abilities.${feature}`)] : [],
    ),
  ];
  return i18n.t('abilities.missing', { name, lacks: listOf(phrases) });
}

function listOf(items: readonly string[]): string {
  return new Intl.ListFormat(i18n.language).format(items);
}
