import type { StepMapping, Step } from '../definition/definition';

/** The mapping of a step; empty for a step without one, and for a step type that has none. */
export function mappingOf(step: Step): StepMapping {
  return ('mapping' in step ? step.mapping : undefined) ?? {};
}
