import { NO_PARTS, stepSchema, type StepTypeFacts } from '../step-facts';

const facts = {
  category: 'Automation',
  ability: 'variables',
  result: 'none',
  ...NO_PARTS,
  references: {},
} as const satisfies StepTypeFacts;

/** A step that only evaluates its rows. */
export const variables = { facts, schema: stepSchema('variables', facts, [], {}) };
