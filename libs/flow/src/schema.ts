import { MATRIX_TYPES } from '@batuta/matrix';
import { REST_METHODS, RESPONSE_CODES, ROW_MODES } from './definition';

/** Lengths and counts of a definition; those of rows are the specification's (contract 2.12, part 8). */
export const FLOW_LIMITS = {
  bytes: 1_048_576,
  steps: 500,
  routes: 50,
  rows: 50,
  name: 80,
  rowValue: 4000,
  code: 100_000,
  text: 262_144,
  stepLimit: 10_000,
  waitSeconds: 86_400,
  timeoutSeconds: 600,
  retries: 5,
} as const;

type Schema = Record<string, unknown>;

const text = (maxLength: number, minLength = 0): Schema => ({ type: 'string', minLength, maxLength });
const integer = (minimum: number, maximum: number): Schema => ({ type: 'integer', minimum, maximum });
const list = (items: Schema, maxItems: number): Schema => ({ type: 'array', items, maxItems });
const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` });

const common: Schema = {
  name: ref('name'),
  as: ref('name'),
  rows: list(ref('row'), FLOW_LIMITS.rows),
  validation: ref('code'),
  routes: list(ref('route'), FLOW_LIMITS.routes),
  onError: list(ref('route'), FLOW_LIMITS.routes),
};

/** A closed object, so that a misspelled field is a problem and not silence. */
function step(type: string, fields: Schema, required: string[] = Object.keys(fields)): Schema {
  return {
    type: 'object',
    properties: { ...common, type: { const: type }, ...fields },
    required: ['name', 'type', ...required],
    additionalProperties: false,
  };
}

const steps: Record<string, Schema> = {
  variables: step('variables', {}),
  script: step('script', { code: ref('code') }),
  rest: step(
    'rest',
    {
      method: { enum: REST_METHODS },
      url: text(4000, 1),
      headers: { type: 'object', maxProperties: 100, additionalProperties: text(8000) },
      body: { description: 'Text, or a JSON value whose texts are templates.' },
      timeoutSeconds: integer(1, FLOW_LIMITS.timeoutSeconds),
      retries: integer(0, FLOW_LIMITS.retries),
    },
    ['method', 'url'],
  ),
  database: step('database', { connection: text(4000, 1), sql: text(FLOW_LIMITS.code, 1), params: list({}, 1000) }, [
    'connection',
    'sql',
  ]),
  email: {
    ...step(
      'email',
      {
        server: text(4000, 1),
        from: text(1000, 1),
        to: {
          description: 'must be an address or a list of addresses',
          anyOf: [text(4000, 1), { ...list(text(1000, 1), 100), minItems: 1 }],
        },
        subject: text(1000),
        text: text(FLOW_LIMITS.text),
        html: text(FLOW_LIMITS.text),
        attachments: list(text(4000, 1), 50),
      },
      ['server', 'from', 'to', 'subject'],
    ),
    description: 'needs a text or an html',
    anyOf: [{ required: ['text'] }, { required: ['html'] }],
  },
  browser: step('browser', {
    actions: {
      ...list({ type: 'object', properties: { action: text(80, 1) }, required: ['action'] }, 200),
      minItems: 1,
    },
  }),
  wait: step('wait', { seconds: { type: 'number', minimum: 0, maximum: FLOW_LIMITS.waitSeconds } }),
  webhookResponse: step(
    'webhookResponse',
    {
      code: { description: 'null or absent = 200', enum: [null, ...RESPONSE_CODES] },
      body: text(FLOW_LIMITS.text, 1),
    },
    ['body'],
  ),
};

/** JSON Schema (draft 2020-12) of a flow definition; `docs/flow.schema.json` is its checked-in copy. */
export const FLOW_SCHEMA: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Flow definition of a Batuta process',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    start: ref('name'),
    stepLimit: integer(1, FLOW_LIMITS.stepLimit),
    steps: { ...list(ref('step'), FLOW_LIMITS.steps), minItems: 1 },
  },
  required: ['start', 'steps'],
  additionalProperties: false,
  $defs: {
    name: text(FLOW_LIMITS.name, 1),
    code: text(FLOW_LIMITS.code),
    row: {
      type: 'object',
      properties: {
        name: text(2 * FLOW_LIMITS.name),
        mode: { enum: ROW_MODES },
        value: text(FLOW_LIMITS.rowValue),
        type: { enum: MATRIX_TYPES },
        sensitive: { type: 'boolean' },
        assign: { type: 'boolean' },
      },
      required: ['name', 'mode', 'value'],
      additionalProperties: false,
    },
    route: {
      type: 'object',
      properties: { when: ref('code'), to: ref('name'), terminate: { const: true } },
      description: 'goes to a step or terminates, not both',
      not: { required: ['to', 'terminate'] },
      additionalProperties: false,
    },
    step: {
      type: 'object',
      properties: { type: { enum: Object.keys(steps) } },
      required: ['type'],
      discriminator: { propertyName: 'type' },
      oneOf: Object.keys(steps).map((type) => ref(`${type}Step`)),
    },
    ...Object.fromEntries(Object.entries(steps).map(([type, schema]) => [`${type}Step`, schema])),
  },
};
