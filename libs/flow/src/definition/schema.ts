import { MATRIX_TYPES } from '@batuta/matrix';
import { FLOW_LIMITS, integerSchema, listSchema, refTo, textSchema } from './schema-parts';
import { STEP_SCHEMAS, type StepTypeName } from './step-types';

/** Definitions that the schemas of all step types share. */
const SHARED_SCHEMA_DEFS = {
  name: textSchema(FLOW_LIMITS.name, 1),
  code: textSchema(FLOW_LIMITS.code),
  row: {
    type: 'object',
    properties: {
      name: textSchema(2 * FLOW_LIMITS.name),
      mode: { enum: ['Fixo', 'Variável ou texto', 'Fórmula'] },
      value: textSchema(FLOW_LIMITS.rowValue),
      /** Converts the result by the rules of the Matrix; an assignment uses the type of its target. */
      type: { enum: MATRIX_TYPES },
      /** Hides the value from log lines. */
      sensitive: { type: 'boolean' },
      /** True sets the existing variable `name` instead of creating one. */
      assign: { type: 'boolean' },
    },
    required: ['name', 'mode', 'value'],
    additionalProperties: false,
  },
  mappedField: {
    type: 'object',
    properties: {
      mode: { enum: ['Fixo', 'Variável ou texto', 'Fórmula'] },
      value: textSchema(FLOW_LIMITS.rowValue),
      /** Converts the result by the rules of the Matrix. */
      type: { enum: MATRIX_TYPES },
      /** Hides the value from log lines. */
      sensitive: { type: 'boolean' },
      /** A script that reads the value by the field's name; its result becomes `{stepValidation}` before the action. */
      validation: refTo('code'),
    },
    required: ['mode', 'value'],
    additionalProperties: false,
  },
  route: {
    type: 'object',
    /** `when` is a condition in JavaScript; absent means always. */
    properties: { when: refTo('code'), to: refTo('name'), terminate: { const: true } },
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
    /** The name of the first step. */
    start: refTo('name'),
    /** Maximum number of executed steps; the agent's own limit applies when it is lower. */
    stepLimit: integerSchema(1, FLOW_LIMITS.stepLimit),
    steps: { ...listSchema(refTo('step'), FLOW_LIMITS.steps), minItems: 1 },
  },
  required: ['start', 'steps'],
  additionalProperties: false,
  $defs: {
    ...SHARED_SCHEMA_DEFS,
    step: {
      type: 'object',
      properties: {
        type: { enum: ['variables', 'script', 'rest', 'database', 'email', 'browser', 'wait', 'webhookResponse'] },
      },
      required: ['type'],
      discriminator: { propertyName: 'type' },
      oneOf: [
        refTo('variablesStep'),
        refTo('scriptStep'),
        refTo('restStep'),
        refTo('databaseStep'),
        refTo('emailStep'),
        refTo('browserStep'),
        refTo('waitStep'),
        refTo('webhookResponseStep'),
      ],
    },
    ...STEP_SCHEMAS,
  },
} as const;

/** JSON Schema of one step of a type, complete in itself. */
export function stepSchemaOf(type: StepTypeName): object {
  return { $schema: FLOW_SCHEMA.$schema, ...STEP_SCHEMAS[`${type}Step`], $defs: SHARED_SCHEMA_DEFS };
}
