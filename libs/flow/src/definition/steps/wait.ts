import { FLOW_LIMITS } from '../schema-parts';
import { NO_PARTS, stepSchema, type StepTypeFacts } from '../step-type-facts';

const waitFacts = {
  category: 'Automation',
  ability: 'wait',
  result: 'none',
  ...NO_PARTS,
  references: {},
} as const satisfies StepTypeFacts;

/** The step type `wait`, which waits before the next step. */
export const waitStepType = {
  facts: waitFacts,
  schema: stepSchema('wait', waitFacts, ['seconds'], {
    seconds: { type: 'number', minimum: 0, maximum: FLOW_LIMITS.waitSeconds },
  }),
};
