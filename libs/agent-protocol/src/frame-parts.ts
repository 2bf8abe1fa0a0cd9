import type { FromSchema, JSONSchema } from 'json-schema-to-ts';

/**
 * The JSON Schema of a frame between router and agent, or of a part of one (docs/agent-protocol.md); its TypeScript type follows
 * from it. `additionalProperties: false` makes FrameReader drop fields that this version does not know, so that either side may add new
 * ones. A text with a `pattern` has a `description`, which a refusal says instead of the pattern.
 */
export type Schema = JSONSchema & object;

export const idSchema = { type: 'string', minLength: 1, maxLength: 64 } as const;
export const positiveIntegerSchema = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;
export const desiredStateSchema = { enum: ['run', 'pause', 'stop'] } as const;
/**
 * A time in ISO 8601, in UTC with seconds. Only days that exist in the calendar are valid, from the year 1000, the
 * first that databases can store.
 */
export const timestampSchema = {
  type: 'string',
  description: 'a time in UTC such as 2026-03-02T14:05:09.120Z, from the year 1000',
  pattern:
    '^(?:(?:[1-9]\\d[2468][048]|[1-9]\\d[13579][26]|[1-9]\\d0[48]|[2468][048]00|[13579][26]00)-02-29|[1-9]\\d{3}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8])))T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?Z$',
} as const;

/** W3C Trace Context; whoever uses it checks its form, so that a wrong one costs no connection. */
export const traceparentSchema = { type: 'string', maxLength: 200 } as const;

export const heldInstanceSchema = {
  type: 'object',
  properties: { instanceID: idSchema, fence: positiveIntegerSchema },
  required: ['instanceID', 'fence'],
  additionalProperties: false,
} as const;

/** An id that the agent makes for a picture: a UUID in lower case. */
export const evidenceIDSchema = {
  type: 'string',
  description: 'a UUID in lower case',
  pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
} as const;

/** The frame by which each side shows that it is alive. */
export const heartbeatSchema = {
  type: 'object',
  properties: { type: { const: 'heartbeat' } },
  required: ['type'],
  additionalProperties: false,
} as const satisfies Schema;

/** The union of the TypeScript types of several frames. */
export type FrameOf<Schemas extends Record<string, Schema>> = {
  [Type in keyof Schemas]: FromSchema<Schemas[Type]>;
}[keyof Schemas];
