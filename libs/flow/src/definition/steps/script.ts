import { refTo } from '../schema-parts';
import { NO_PARTS, stepSchema, type StepTypeFacts } from '../step-type-facts';

const scriptFacts = {
  category: 'Automation',
  ability: 'script',
  result: 'any',
  ...NO_PARTS,
  references: { code: 'script' },
} as const satisfies StepTypeFacts;

/** The step type `script`: `code` is a function body; its result goes into `as` (interpretation 43). */
export const scriptStepType = {
  facts: scriptFacts,
  schema: stepSchema('script', scriptFacts, ['code'], { code: refTo('code') }),
};
