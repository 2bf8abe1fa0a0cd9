import type { Flow, StepType } from './definition/definition';
import { referencesIn, rowTexts, stepTexts } from './substitution/step-texts';
import { factsOf } from './definition/step-types';

/**
 * Abilities that a flow may need in addition to those of its step types: an agent with `mapping` supports the mapping of a step, and the machine of
 * an agent with `ocr` can read the text of a picture for `{name.OCR}`.
 */
export const EXTRA_FLOW_ABILITIES = { mapping: 'mapping', ocr: 'ocr' } as const;

/**
 * The step type that requires no ability: an older agent may also get an instance with such a step. There the step fails, and
 * the caller waits until the instance, or its own wait, has ended (contract 4.17).
 */
const TYPE_WITHOUT_REQUIRED_ABILITY: StepType = 'webhookResponse';

/** The abilities that an agent needs to run every step of the flow, sorted. */
export function abilitiesOf(flow: Flow): string[] {
  return sortedWithoutDuplicates([...flow.steps.map(abilityOf), ...extraAbilitiesOf(flow)]);
}

/** The abilities without which an agent gets no instance of the flow (interpretation 56), as the text in the column `needs`. */
export function needsOf(flow: Flow): string {
  const steps = flow.steps.filter(({ type }) => type !== TYPE_WITHOUT_REQUIRED_ABILITY);
  return sortedWithoutDuplicates([...steps.map(abilityOf), ...extraAbilitiesOf(flow)]).join(NEEDS_SEPARATOR);
}

/** The list of abilities in a text that `needsOf` wrote. */
export function readNeeds(needs: string): string[] {
  return needs === '' ? [] : needs.split(NEEDS_SEPARATOR);
}

const NEEDS_SEPARATOR = ',';

/** The result variables whose part `{name.OCR}` the flow reads, if their step type sets such a part. */
export function picturesReadBy({ steps }: Flow): string[] {
  const sources = steps.flatMap(({ as, type }) =>
    as !== undefined && factsOf(type).parts.includes('OCR') ? [as] : [],
  );
  if (sources.length === 0) return [];
  const texts = steps
    .flatMap((step) => [...rowTexts(step), ...stepTexts(step)])
    .filter(({ text }) => text.includes(OCR_SUFFIX));
  const isPicture = (name: string) =>
    sources.some((source) => name === source + OCR_SUFFIX || name.startsWith(`${source}${OCR_SUFFIX}.`));
  const read = texts.flatMap((text) => referencesIn(text, isPicture)).filter(({ name }) => isPicture(name));
  return sortedWithoutDuplicates(read.map(({ name }) => name.slice(0, name.indexOf(OCR_SUFFIX))));
}

const OCR_SUFFIX = '.OCR';

function extraAbilitiesOf(flow: Flow): string[] {
  // An empty mapping counts as well, because an older agent refuses the unknown field.
  const maps = flow.steps.some((step) => 'mapping' in step);
  return [
    ...(maps ? [EXTRA_FLOW_ABILITIES.mapping] : []),
    ...(picturesReadBy(flow).length > 0 ? [EXTRA_FLOW_ABILITIES.ocr] : []),
  ];
}

function abilityOf({ type }: Flow['steps'][number]): string {
  return factsOf(type).ability;
}

function sortedWithoutDuplicates(names: string[]): string[] {
  return [...new Set(names)].toSorted();
}
