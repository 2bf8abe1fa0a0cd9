import { FLOW_LIMITS } from '../schema-parts';
import { NO_PARTS, stepSchema, type StepTypeFacts } from '../step-facts';

const facts = {
  category: 'Automation',
  ability: 'wait',
  result: 'none',
  ...NO_PARTS,
  references: {},
} as const satisfies StepTypeFacts;

/** Waits before the next step. */
export const wait = {
  facts,
  schema: stepSchema('wait', facts, ['seconds'], {
    seconds: { type: 'number', minimum: 0, maximum: FLOW_LIMITS.waitSeconds },
  }),
};
