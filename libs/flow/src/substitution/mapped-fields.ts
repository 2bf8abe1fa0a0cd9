import type { StepMapping, Step } from '../definition/definition';

/** The mapping of a step; empty without one, also for step types whose fields declare nothing. */
export function mappingOf(step: Step): StepMapping {
  return ('mapping' in step ? step.mapping : undefined) ?? {};
}
