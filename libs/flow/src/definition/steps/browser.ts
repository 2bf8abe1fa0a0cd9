import { FLOW_LIMITS, integerSchema, listSchema, MAPPING_SCHEMA } from '../schema-parts';
import { AUTOMATIC_PARTS, stepSchema, type StepTypeFacts } from '../step-type-facts';
import { BROWSER_ACTION_SCHEMAS, BROWSER_ACTION_NAMES } from './browser-actions';

const MAX_ACTIONS = 200;

const browserFacts = {
  category: 'Web',
  ability: 'browser',
  result: 'any',
  parts: AUTOMATIC_PARTS,
  connector: [],
  references: { actions: 'text' },
} as const satisfies StepTypeFacts;

/** The step type `browser`, which works in web pages. */
export const browserStepType = {
  facts: browserFacts,
  schema: stepSchema('browser', browserFacts, ['actions'], {
    mapping: MAPPING_SCHEMA,
    /** The actions run in this order; the first that fails ends the step. */
    actions: {
      ...listSchema(
        {
          type: 'object',
          properties: { action: { enum: BROWSER_ACTION_NAMES } },
          required: ['action'],
          discriminator: { propertyName: 'action' },
          oneOf: BROWSER_ACTION_SCHEMAS,
        },
        MAX_ACTIONS,
      ),
      minItems: 1,
    },
    /** Of the whole step, with the start of the browser, but without suspensions between actions; absent = 120. */
    timeoutSeconds: integerSchema(1, FLOW_LIMITS.timeoutSeconds),
    dialogs: {
      enum: ['dismiss', 'accept'],
      description: 'What the step answers to alert(), confirm() and prompt() of a page; absent = dismiss.',
    },
  }),
};

/** The actions that read a value from a page, which becomes `{as}` or a field of it. */
export const READING_ACTIONS: ReadonlySet<string> = new Set(['readText', 'readAttribute', 'readTable']);
