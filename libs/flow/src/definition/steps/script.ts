import { ref } from '../schema-parts';
import { NO_PARTS, stepSchema, type StepTypeFacts } from '../step-facts';

const facts = {
  category: 'Automation',
  ability: 'script',
  result: 'any',
  ...NO_PARTS,
  references: { code: 'script' },
} as const satisfies StepTypeFacts;

/** `code` is a function body; its result goes into `as` (interpretation 43). */
export const script = { facts, schema: stepSchema('script', facts, ['code'], { code: ref('code') }) };
