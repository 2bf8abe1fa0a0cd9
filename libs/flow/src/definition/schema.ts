import { MATRIX_TYPES } from '@batuta/matrix';
import { FLOW_LIMITS, integer, list, ref, text } from './schema-parts';
import { STEP_SCHEMAS, type StepTypeName } from './step-types';

/** What the schemas of all step types refer to. */
const SHARED_DEFS = {
  name: text(FLOW_LIMITS.name, 1),
  code: text(FLOW_LIMITS.code),
  row: {
    type: 'object',
    properties: {
      name: text(2 * FLOW_LIMITS.name),
      mode: { enum: ['Fixo', 'Variável ou texto', 'Fórmula'] },
      value: text(FLOW_LIMITS.rowValue),
      /** Converts the result by the rules of the Matrix; an assignment uses the type of its target. */
      type: { enum: MATRIX_TYPES },
      /** Hides the value from log lines. */
      sensitive: { type: 'boolean' },
      assign: { type: 'boolean' },
    },
    required: ['name', 'mode', 'value'],
    additionalProperties: false,
  },
  route: {
    type: 'object',
    /** `when` is a condition in JavaScript; absent means always. */
    properties: { when: ref('code'), to: ref('name'), terminate: { const: true } },
    description: 'goes to a step or terminates, not both',
    not: { required: ['to', 'terminate'] },
    additionalProperties: false,
  },
} as const;

/** JSON Schema (draft 2020-12) of a flow definition; `docs/flow.schema.json` is its checked-in copy. */
export const FLOW_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Flow definition of a Batuta process',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    start: ref('name'),
    /** Can only lower the agent's own limit of executed steps. */
    stepLimit: integer(1, FLOW_LIMITS.stepLimit),
    steps: { ...list(ref('step'), FLOW_LIMITS.steps), minItems: 1 },
  },
  required: ['start', 'steps'],
  additionalProperties: false,
  $defs: {
    ...SHARED_DEFS,
    step: {
      type: 'object',
      properties: {
        type: { enum: ['variables', 'script', 'rest', 'database', 'email', 'browser', 'wait', 'webhookResponse'] },
      },
      required: ['type'],
      discriminator: { propertyName: 'type' },
      oneOf: [
        ref('variablesStep'),
        ref('scriptStep'),
        ref('restStep'),
        ref('databaseStep'),
        ref('emailStep'),
        ref('browserStep'),
        ref('waitStep'),
        ref('webhookResponseStep'),
      ],
    },
    ...STEP_SCHEMAS,
  },
} as const;

/** JSON Schema of one step of a type, complete in itself. */
export function stepSchemaOf(type: StepTypeName): object {
  return { $schema: FLOW_SCHEMA.$schema, ...STEP_SCHEMAS[`${type}Step`], $defs: SHARED_DEFS };
}
