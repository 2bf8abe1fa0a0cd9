import type { Flow, StepType } from './definition';
import { factsOf } from './step-types';

/** An older agent gets an instance with this step all the same: it fails the step, and the caller waits to the end (contract 4.17). */
const RUNS_ANYWHERE: StepType = 'webhookResponse';

/** The abilities that run every step of the flow, sorted. */
export function abilitiesOf({ steps }: Flow): string[] {
  return distinct(steps.map(({ type }) => type));
}

/** The abilities without which no agent gets an instance of the flow (interpretation 56), as the text that is stored. */
export function needsOf({ steps }: Flow): string {
  return distinct(steps.flatMap(({ type }) => (type === RUNS_ANYWHERE ? [] : type))).join(SEPARATOR);
}

/** The abilities of a stored text. */
export function readNeeds(needs: string): string[] {
  return needs === '' ? [] : needs.split(SEPARATOR);
}

const SEPARATOR = ',';

/** A type that no shipped runtime runs counts for nothing: versions from before such types were refused keep starting. */
function distinct(types: StepType[]): string[] {
  return [...new Set(types.flatMap((type) => factsOf(type).ability ?? []))].toSorted();
}
