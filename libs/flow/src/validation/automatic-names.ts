import type { Flow, Step } from '../definition/definition';
import { AUTOMATIC_PARTS } from '../definition/step-type-facts';
import { factsOf, STEP_TYPES, stepTypeNames } from '../definition/step-types';

/** The automatic variables of a flow, which its steps set according to their types (contract 2.12, interpretation 53). */
export interface AutomaticNames {
  /** True for the `as` of a step with a result, and for a name such as `connector.rowCount` that a step sets. */
  has(name: string): boolean;
  /** The reason why no step sets the variable at the beginning of a reference: `connector.…`, or the `as` of a step without a result. */
  whyUnknown(reference: string): string | undefined;
  /** The reason why no step sets the part that a reference reads, such as `FILE` in `reply.FILE`. */
  whyNoPart(reference: string, variable: string): string | undefined;
}

const CONNECTOR_PREFIX = 'connector.';
const AUTOMATIC_PART_NAMES: ReadonlySet<string> = new Set(AUTOMATIC_PARTS);

export function automaticNames({ steps }: Flow): AutomaticNames {
  const stepsByName = stepsByResult(steps);
  const given = new Set(
    steps.flatMap(({ type }) => factsOf(type).connector.map((name) => `${CONNECTOR_PREFIX}${name}`)),
  );
  // An assignment in a row may give its variable any value, with any fields.
  const assigned = new Set(steps.flatMap(({ rows = [] }) => rows.flatMap((row) => (row.assign ? [row.name] : []))));
  return {
    has: (name) => given.has(name) || (stepsByName.get(name) ?? []).some(givesResult),
    whyUnknown: (reference) => {
      if (reference.startsWith(CONNECTOR_PREFIX)) return noConnectorResultMessage();
      const named = [...stepsByName.keys()].find((name) => reference === name || reference.startsWith(`${name}.`));
      return named === undefined ? undefined : `${typesOf(stepsByName.get(named) ?? [])} gives no result`;
    },
    whyNoPart: (reference, variable) => {
      const [part = ''] = reference.slice(variable.length + 1).split('.');
      const from = stepsByName.get(variable);
      if (!from || !AUTOMATIC_PART_NAMES.has(part) || assigned.has(variable)) return undefined;
      return from.some((step) => mayHavePart(step, part)) ? undefined : `${typesOf(from)} gives no ${part}`;
    },
  };
}

/** The steps by the name that their `as` sets; several steps may share one. */
function stepsByResult(steps: Step[]): Map<string, Step[]> {
  const stepsByName = new Map<string, Step[]>();
  for (const step of steps) {
    if (step.as !== undefined) stepsByName.set(step.as, [...(stepsByName.get(step.as) ?? []), step]);
  }
  return stepsByName;
}

function givesResult({ type }: Step): boolean {
  return factsOf(type).result !== 'none';
}

/** True when the result of the step may have a field with the name `part`; a result of the kind `any` may have any field. */
function mayHavePart({ type }: Step, part: string): boolean {
  const { result, parts } = factsOf(type);
  return parts.includes(part) || result === 'any' || result.includes(part);
}

function typesOf(steps: Step[]): string {
  return `a step of the type ${[...new Set(steps.map(({ type }) => type))].join(' or ')}`;
}

function noConnectorResultMessage(): string {
  const connectors = stepTypeNames().filter((type) => STEP_TYPES[type].connector.length > 0);
  const gives = connectors.map((type) => `${type} gives ${STEP_TYPES[type].connector.join(', ')}`);
  return `no step of the flow gives it (${gives.join('; ')})`;
}
