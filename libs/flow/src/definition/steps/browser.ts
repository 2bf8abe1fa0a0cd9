import { list, text } from '../schema-parts';
import { AUTOMATIC_PARTS, stepSchema, type StepTypeFacts } from '../step-facts';

const facts = {
  category: 'Web',
  ability: null,
  result: 'any',
  parts: AUTOMATIC_PARTS,
  connector: [],
  references: { actions: 'text' },
} as const satisfies StepTypeFacts;

/** Works in web pages. */
export const browser = {
  facts,
  schema: stepSchema('browser', facts, ['actions'], {
    actions: {
      ...list({ type: 'object', properties: { action: text(80, 1) }, required: ['action'] }, 200),
      minItems: 1,
    },
  }),
};
