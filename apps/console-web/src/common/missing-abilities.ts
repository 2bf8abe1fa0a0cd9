import { i18n } from '../i18n/instance';

const SENTENCE =
  /^No (?<single>single )?connected agent of the environment "(?<name>.*)" (?<lacks>(?:runs|knows|reads|has) .*)$/s;
const STEP_TYPES = /^runs (?<types>.*?) steps/;

/** By ability that is not a step type: what the API says that an agent with the ability does. Each has a translation, `abilities.<name>`. */
export const FEATURES = {
  mapping: 'knows the mapping of a step',
  ocr: 'reads the text of pictures',
  sealedValues: 'has a key to which secret values are sealed',
} as const;

/**
 * What the API says about abilities that no agent, or no single agent, of an environment has, in the user's language; undefined for any other
 * message, also for one with an ability that this page does not know, which it would leave out.
 */
export function missingAbilitiesText(message: string): string | undefined {
  const { single, name, lacks } = SENTENCE.exec(message)?.groups ?? {};
  if (name === undefined || lacks === undefined) return undefined;
  const [steps, types] = STEP_TYPES.exec(lacks) ?? [];
  const features = Object.entries(FEATURES).filter(([, text]) => lacks.includes(text));
  const known = [...(steps === undefined ? [] : [steps]), ...features.map(([, text]) => text)];
  if (new Intl.ListFormat('en').format(known) !== lacks) return undefined;
  const phrases = [
    ...(types === undefined ? [] : [i18n.t('abilities.steps', { types: listOf(types.split(/, and |, | and /)) })]),
    ...features.map(([feature]) => i18n.t(`abilities.${feature}`)),
  ];
  return i18n.t(single === undefined ? 'abilities.missing' : 'abilities.missingTogether', {
    name,
    lacks: listOf(phrases),
  });
}

function listOf(items: readonly string[]): string {
  return new Intl.ListFormat(i18n.language).format(items);
}
