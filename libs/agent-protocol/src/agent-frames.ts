import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import { MAX_EVIDENCE, MAX_LOG_MESSAGE, MAX_REPORT_LINES } from './agent-protocol';

/**
 * The frames between router and agent, one JSON Schema for each (docs/agent-protocol.md). The TypeScript types follow
 * from the schemas. Every frame is one JSON object; `additionalProperties: false` makes FrameReader drop fields that this
 * version does not know, so that either side may add new ones.
 */
type Schema = JSONSchema & object;

const id = { type: 'string', minLength: 1, maxLength: 64 } as const;
const positiveInteger = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;
const desired = { enum: ['run', 'pause', 'stop'] } as const;
/** ISO 8601 in UTC with seconds; only days that exist in the calendar, from the year 1000, which databases begin with. */
const timestamp = {
  type: 'string',
  pattern:
    '^(?:(?:[1-9]\\d[2468][048]|[1-9]\\d[13579][26]|[1-9]\\d0[48]|[2468][048]00|[13579][26]00)-02-29|[1-9]\\d{3}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8])))T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?Z$',
} as const;

const held = {
  type: 'object',
  properties: { instanceID: id, fence: positiveInteger },
  required: ['instanceID', 'fence'],
  additionalProperties: false,
} as const;

/** The first frame of an agent. */
const hello = {
  type: 'object',
  properties: {
    type: { const: 'hello' },
    protocol: positiveInteger,
    agent: { type: 'string', minLength: 1, maxLength: 120 },
    runtimeVersion: { type: 'string', minLength: 1, maxLength: 40 },
    os: { type: 'string', maxLength: 40 },
    capacity: { type: 'integer', minimum: 1, maximum: 1000 },
    /** Step types that the agent runs. An older agent that leaves it out runs those of `Abilities.announced`. */
    abilities: { type: 'array', maxItems: 50, items: { type: 'string', maxLength: 40 } },
    /** Present when this process had a session before: that session and every instance that the agent still holds. */
    resume: {
      type: 'object',
      properties: { sessionID: id, held: { type: 'array', maxItems: 2000, items: held } },
      required: ['sessionID', 'held'],
      additionalProperties: false,
    },
  },
  required: ['type', 'protocol', 'agent', 'runtimeVersion', 'capacity'],
  additionalProperties: false,
} as const satisfies Schema;

const logLine = {
  type: 'object',
  properties: {
    timestamp,
    severity: { enum: ['INFO', 'WARNING', 'ERROR'] },
    message: { type: 'string', maxLength: MAX_LOG_MESSAGE },
    stepID: { type: 'string', maxLength: 200 },
    evidence: { type: ['string', 'null'], maxLength: MAX_EVIDENCE },
  },
  required: ['timestamp', 'severity', 'message', 'stepID'],
  additionalProperties: false,
} as const satisfies Schema;

const end = {
  type: 'object',
  properties: {
    outcome: { enum: ['FINALIZED', 'TERMINATED', 'STEP_LIMIT_REACHED', 'ERROR', 'STOPPED', 'CRASHED'] },
    errorStep: { type: ['string', 'null'], maxLength: 200 },
    errorMessage: { type: ['string', 'null'], maxLength: 4_000 },
  },
  required: ['outcome', 'errorStep', 'errorMessage'],
  additionalProperties: false,
} as const satisfies Schema;

/**
 * The answer of a Webhook Response step: `code` an HTTP status of contract 4.17, `body` JSON text of at most 256 KB. Any
 * value passes here and the service validates it (interpretation 30): an invalid answer must not cost the connection.
 */
const response = {
  type: 'object',
  properties: {
    code: {},
    body: {},
    /** JSON text of the body as it may be kept and shown; null when nothing in the body is to be hidden (interpretation 48). */
    masked: {},
  },
  additionalProperties: false,
} as const satisfies Schema;

const report = {
  type: 'object',
  properties: {
    type: { const: 'report' },
    instanceID: id,
    fence: positiveInteger,
    /** 1, 2, 3 … per instance and fence. The agent repeats a report until its acknowledgement; a repetition changes nothing. */
    seq: positiveInteger,
    lines: { type: 'array', maxItems: MAX_REPORT_LINES, items: logLine },
    /** Sent only for an offer that was `awaited`. If the agent sends several answers, the first one counts. */
    response,
    end,
  },
  required: ['type', 'instanceID', 'fence', 'seq', 'lines'],
  additionalProperties: false,
} as const satisfies Schema;

const accept = {
  type: 'object',
  properties: { type: { const: 'accept' }, instanceID: id, fence: positiveInteger },
  required: ['type', 'instanceID', 'fence'],
  additionalProperties: false,
} as const satisfies Schema;

const reject = {
  type: 'object',
  properties: {
    type: { const: 'reject' },
    instanceID: id,
    fence: positiveInteger,
    reason: { type: 'string', maxLength: 500 },
  },
  required: ['type', 'instanceID', 'fence', 'reason'],
  additionalProperties: false,
} as const satisfies Schema;

/** The agent finishes what it holds and takes no more offers on this connection. */
const drain = {
  type: 'object',
  properties: { type: { const: 'drain' } },
  required: ['type'],
  additionalProperties: false,
} as const satisfies Schema;

/** Both sides send it. */
const heartbeat = {
  type: 'object',
  properties: { type: { const: 'heartbeat' } },
  required: ['type'],
  additionalProperties: false,
} as const satisfies Schema;

/** Every frame that an agent may send, by type. */
export const agentFrameSchemas = { hello, accept, reject, report, drain, heartbeat } as const;

/** The router's reply to `hello`: the session exists. */
const welcome = {
  type: 'object',
  properties: {
    type: { const: 'welcome' },
    protocol: { type: 'integer' },
    sessionID: id,
    environmentID: id,
    /** The agent sends a heartbeat at this interval; the router replies to each with a heartbeat. */
    heartbeatSeconds: { type: 'number', exclusiveMinimum: 0 },
    /** Without any frame for this long the agent stops its instances: the service will soon give them up. */
    graceSeconds: { type: 'number', exclusiveMinimum: 0 },
    /** Reply to `resume`: the agent continues or begins the granted instances and drops the revoked ones. */
    granted: {
      type: 'array',
      items: {
        type: 'object',
        properties: { ...held.properties, desired },
        required: ['instanceID', 'fence', 'desired'],
        additionalProperties: false,
      },
    },
    revoked: { type: 'array', items: held },
  },
  required: [
    'type',
    'protocol',
    'sessionID',
    'environmentID',
    'heartbeatSeconds',
    'graceSeconds',
    'granted',
    'revoked',
  ],
  additionalProperties: false,
} as const satisfies Schema;

const offer = {
  type: 'object',
  properties: {
    type: { const: 'offer' },
    instanceID: id,
    fence: positiveInteger,
    processID: { type: 'string' },
    processName: { type: 'string' },
    version: { type: 'string' },
    userName: { type: 'string' },
    requestID: { type: 'string' },
    flow: {},
    matrix: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, type: { type: 'string' }, value: {} },
        required: ['name', 'type', 'value'],
        additionalProperties: false,
      },
    },
    /** A caller waits for the answer of a Webhook Response step. */
    awaited: { type: 'boolean' },
    vault: { type: 'object', additionalProperties: { type: 'string' } },
  },
  required: [
    'type',
    'instanceID',
    'fence',
    'processID',
    'processName',
    'version',
    'userName',
    'requestID',
    'flow',
    'matrix',
    'vault',
  ],
  additionalProperties: false,
} as const satisfies Schema;

const grant = {
  type: 'object',
  properties: { type: { const: 'grant' }, instanceID: id, fence: positiveInteger, desired },
  required: ['type', 'instanceID', 'fence', 'desired'],
  additionalProperties: false,
} as const satisfies Schema;

const revoke = {
  type: 'object',
  properties: { type: { const: 'revoke' }, instanceID: id, fence: positiveInteger },
  required: ['type', 'instanceID', 'fence'],
  additionalProperties: false,
} as const satisfies Schema;

const desiredState = {
  type: 'object',
  properties: { type: { const: 'desired' }, instanceID: id, fence: positiveInteger, desired },
  required: ['type', 'instanceID', 'fence', 'desired'],
  additionalProperties: false,
} as const satisfies Schema;

/** `accepted: false`: the service no longer takes reports of this instance, and the agent drops it. */
const ack = {
  type: 'object',
  properties: {
    type: { const: 'ack' },
    instanceID: id,
    fence: positiveInteger,
    seq: { type: 'integer' },
    accepted: { type: 'boolean' },
  },
  required: ['type', 'instanceID', 'fence', 'seq', 'accepted'],
  additionalProperties: false,
} as const satisfies Schema;

/** Why the router is about to close the connection. */
const error = {
  type: 'object',
  properties: { type: { const: 'error' }, code: { type: 'string' }, message: { type: 'string' } },
  required: ['type', 'code', 'message'],
  additionalProperties: false,
} as const satisfies Schema;

/** Every frame that a router may send, by type. */
export const routerFrameSchemas = {
  welcome,
  offer,
  grant,
  revoke,
  desired: desiredState,
  ack,
  heartbeat,
  error,
} as const;

/** The TypeScript type of one of several frames. */
export type FrameOf<Schemas extends Record<string, Schema>> = {
  [Type in keyof Schemas]: FromSchema<Schemas[Type]>;
}[keyof Schemas];

export type AgentFrame = FrameOf<typeof agentFrameSchemas>;
export type RouterFrame = FrameOf<typeof routerFrameSchemas>;

export type HelloFrame = FromSchema<typeof hello>;
export type ReportFrame = FromSchema<typeof report>;
export type ReportLine = FromSchema<typeof logLine>;
export type ReportResponse = FromSchema<typeof response>;
export type ReportEnd = FromSchema<typeof end>;
export type WelcomeFrame = FromSchema<typeof welcome>;
export type OfferFrame = FromSchema<typeof offer>;
