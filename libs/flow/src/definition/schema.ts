import { MATRIX_TYPES } from '@batuta/matrix';
import { describeStepType, type StepTypeName } from './step-types';

/** Maximum lengths, counts and values in a definition; the limits of rows are part of the contract (contract 2.12, 8). */
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

/** The codes a Webhook Response step may set (contract 4.17). */
export const RESPONSE_CODES = [200, 201, 202, 400, 401, 403, 404, 409, 422, 500] as const;

const text = (maxLength: number, minLength = 0) => ({ type: 'string', minLength, maxLength }) as const;
const integer = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum }) as const;
const list = <const Items>(items: Items, maxItems: number) => ({ type: 'array', items, maxItems }) as const;
const ref = <const Name extends string>(name: Name) => ({ $ref: `#/$defs/${name}` }) as const;

const commonFields = {
  /** Unique in the flow; routes, log lines and `{stepName}` use it. */
  name: ref('name'),
  /** Name of the automatic variable that receives the step's result. */
  as: ref('name'),
  /** Flow variables, evaluated before the step's action (contract 2.12). */
  rows: list(ref('row'), FLOW_LIMITS.rows),
  /** A script whose result becomes `{stepValidation}`. */
  validation: ref('code'),
  /** The first route whose condition holds is taken; without one the execution ends without error. */
  routes: list(ref('route'), FLOW_LIMITS.routes),
  /** Routes of a step that failed; without a match the execution ends in error. */
  onError: list(ref('route'), FLOW_LIMITS.routes),
} as const;

/** Typed without details: derived types would otherwise repeat the email step for every combination of its fields. */
const TEXT_OR_HTML: object = {
  description: 'needs a text or an html',
  anyOf: [{ required: ['text'] }, { required: ['html'] }],
};

/** Schema of a step type. The object is closed, so that a misspelled field is a problem and not ignored. */
function step<const Type extends StepTypeName, const Fields, const Required extends readonly string[]>(
  type: Type,
  required: Required,
  fields: Fields,
) {
  return {
    type: 'object',
    properties: { ...commonFields, type: { const: type, description: describeStepType(type) }, ...fields },
    required: ['name', 'type', ...required],
    additionalProperties: false,
  } as const;
}

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
    /** A step that only evaluates its rows. */
    variablesStep: step('variables', [], {}),
    /** `code` is a function body; its result goes into `as` (interpretation 43). */
    scriptStep: step('script', ['code'], { code: ref('code') }),
    restStep: step('rest', ['method', 'url'], {
      method: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] },
      url: text(4000, 1),
      headers: { type: 'object', maxProperties: 100, additionalProperties: text(8000) },
      body: { description: 'Text, or a JSON value whose texts are templates.' },
      timeoutSeconds: integer(1, FLOW_LIMITS.timeoutSeconds),
      retries: integer(0, FLOW_LIMITS.retries),
    }),
    databaseStep: step('database', ['connection', 'sql'], {
      connection: text(4000, 1),
      sql: text(FLOW_LIMITS.code, 1),
      /** Bound by the driver, never inserted into the SQL; a text that is one `{var}` keeps the type of its value. */
      params: list({}, 1000),
    }),
    emailStep: {
      ...step('email', ['server', 'from', 'to', 'subject'], {
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
      }),
      ...TEXT_OR_HTML,
    },
    browserStep: step('browser', ['actions'], {
      actions: {
        ...list({ type: 'object', properties: { action: text(80, 1) }, required: ['action'] }, 200),
        minItems: 1,
      },
    }),
    waitStep: step('wait', ['seconds'], {
      seconds: { type: 'number', minimum: 0, maximum: FLOW_LIMITS.waitSeconds },
    }),
    webhookResponseStep: step('webhookResponse', ['body'], {
      code: { description: 'null or absent = 200', enum: [null, ...RESPONSE_CODES] },
      body: text(FLOW_LIMITS.text, 1),
    }),
  },
} as const;
