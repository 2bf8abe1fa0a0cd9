import { NO_PARTS, stepSchema, type StepTypeFacts } from '../step-type-facts';

const variablesFacts = {
  category: 'Automation',
  ability: 'variables',
  result: 'none',
  ...NO_PARTS,
  references: {},
} as const satisfies StepTypeFacts;

/** The step type `variables`, which only evaluates its rows. */
export const variablesStepType = { facts: variablesFacts, schema: stepSchema('variables', variablesFacts, [], {}) };
