/**
 * Maximum lengths (in characters, except `bytes`), counts and values in a definition. `routes`, `rows` and `fields` are counted per list of
 * one step; the limits of rows are part of the contract (contract 2.12, 8).
 */
export const FLOW_LIMITS = {
  bytes: 1_048_576,
  steps: 500,
  routes: 50,
  rows: 50,
  fields: 50,
  name: 80,
  rowValue: 4000,
  code: 100_000,
  text: 262_144,
  stepLimit: 10_000,
  waitSeconds: 86_400,
  timeoutSeconds: 600,
  retries: 5,
} as const;

export const textSchema = (maxLength: number, minLength = 0) => ({ type: 'string', minLength, maxLength }) as const;
export const integerSchema = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum }) as const;
export const listSchema = <const Items>(items: Items, maxItems: number) =>
  ({ type: 'array', items, maxItems }) as const;
export const refTo = <const Name extends string>(name: Name) => ({ $ref: `#/$defs/${name}` }) as const;

/** Schema of a step's mapping: the values of the fields that the step's texts declare as `{{name}}` (contract 2.12). */
export const MAPPING_SCHEMA = {
  type: 'object',
  description: 'Values of the fields that texts of this step declare as {{name}}.',
  maxProperties: FLOW_LIMITS.fields,
  additionalProperties: refTo('mappedField'),
} as const;
