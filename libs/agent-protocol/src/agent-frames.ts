import type { FromSchema } from 'json-schema-to-ts';
import {
  MAX_LINE_EVIDENCE_CHARACTERS,
  MAX_LOG_MESSAGE_CHARACTERS,
  MAX_REPORT_LINES,
  PICTURE_PART_BYTES,
} from './agent-protocol';
import {
  evidenceIDSchema,
  heartbeatSchema,
  heldInstanceSchema,
  idSchema,
  positiveIntegerSchema,
  timestampSchema,
  traceparentSchema,
  type FrameOf,
  type Schema,
} from './frame-parts';

// The frames that an agent sends.

/** The first frame of an agent, sent once. The router closes a connection without it after HELLO_SECONDS (10 unless set). */
const helloSchema = {
  type: 'object',
  properties: {
    type: { const: 'hello' },
    protocol: positiveIntegerSchema,
    /** The name of the agent, for people. */
    agent: { type: 'string', minLength: 1, maxLength: 120 },
    runtimeVersion: { type: 'string', minLength: 1, maxLength: 40 },
    os: { type: 'string', maxLength: 40 },
    /** How many instances the agent runs at the same time. */
    capacity: { type: 'integer', minimum: 1, maximum: 1000 },
    /**
     * Step types that the agent runs, and `ocr` and `mapping`. For an older agent, which leaves the list out,
     * `Abilities.announced` knows which ones it has.
     */
    abilities: { type: 'array', maxItems: 50, items: { type: 'string', maxLength: 40 } },
    /** X25519, 32 bytes in base64. Secret values come sealed to it; an agent without a key gets them in clear, unless the operator requires keys. */
    publicKey: { type: 'string', description: '32 bytes in base64', pattern: '^[A-Za-z0-9+/]{43}=$' },
    /**
     * Present when the agent has had a session since its program started: the latest one, and every instance that the agent still holds, which
     * is accepted, running, or ended with a report that is not acknowledged.
     */
    resume: {
      type: 'object',
      properties: { sessionID: idSchema, held: { type: 'array', maxItems: 2000, items: heldInstanceSchema } },
      required: ['sessionID', 'held'],
      additionalProperties: false,
    },
  },
  required: ['type', 'protocol', 'agent', 'runtimeVersion', 'capacity'],
  additionalProperties: false,
} as const satisfies Schema;

const logLineSchema = {
  type: 'object',
  properties: {
    timestamp: timestampSchema,
    severity: { enum: ['INFO', 'WARNING', 'ERROR'] },
    message: { type: 'string', maxLength: MAX_LOG_MESSAGE_CHARACTERS },
    stepID: { type: 'string', maxLength: 200 },
    evidence: { type: ['string', 'null'], maxLength: MAX_LINE_EVIDENCE_CHARACTERS },
  },
  required: ['timestamp', 'severity', 'message', 'stepID'],
  additionalProperties: false,
} as const satisfies Schema;

const endSchema = {
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
 * The answer of a Webhook Response step: `code` is an HTTP status of contract 4.17, `body` JSON text of at most 256 KB.
 * The schema accepts any value and the execution service validates it (interpretation 30), because an invalid answer must not
 * close the connection.
 */
const responseSchema = {
  type: 'object',
  properties: {
    code: {},
    body: {},
    /**
     * JSON text of the body as it may be stored and shown; null when nothing in the body must be hidden (interpretation
     * 48).
     */
    masked: {},
  },
  additionalProperties: false,
} as const satisfies Schema;

const reportSchema = {
  type: 'object',
  properties: {
    type: { const: 'report' },
    instanceID: idSchema,
    fence: positiveIntegerSchema,
    /** 1, 2, 3 … per instance and fence. The agent repeats a report until its acknowledgement; a repetition changes nothing. */
    seq: positiveIntegerSchema,
    /** May be empty. */
    lines: { type: 'array', maxItems: MAX_REPORT_LINES, items: logLineSchema },
    /** Sent only for an offer that was `awaited`. If the agent sends several answers, the first one counts. */
    response: responseSchema,
    /** Only in the last report of the instance. */
    end: endSchema,
    /** The agent's span of the execution, when it traces. */
    traceparent: traceparentSchema,
  },
  required: ['type', 'instanceID', 'fence', 'seq', 'lines'],
  additionalProperties: false,
} as const satisfies Schema;

/** The agent takes an offer. It runs nothing before the `grant`, or after a resume before the `welcome` that grants the instance. */
const acceptSchema = {
  type: 'object',
  properties: { type: { const: 'accept' }, instanceID: idSchema, fence: positiveIntegerSchema },
  required: ['type', 'instanceID', 'fence'],
  additionalProperties: false,
} as const satisfies Schema;

/** The agent refuses an offer: the instance is requeued, and the agent gets no offers for a while. */
const rejectSchema = {
  type: 'object',
  properties: {
    type: { const: 'reject' },
    instanceID: idSchema,
    fence: positiveIntegerSchema,
    reason: { type: 'string', maxLength: 500 },
  },
  required: ['type', 'instanceID', 'fence', 'reason'],
  additionalProperties: false,
} as const satisfies Schema;

/**
 * A part of a picture, sent only if the welcome has `evidence`. The schema accepts numbers and types that the execution service
 * refuses, because a refused picture must not close the connection.
 */
const evidenceSchema = {
  type: 'object',
  properties: {
    type: { const: 'evidence' },
    instanceID: idSchema,
    fence: positiveIntegerSchema,
    evidenceID: evidenceIDSchema,
    /** `image/png` or `image/jpeg`. */
    mediaType: { type: 'string', maxLength: 100 },
    /** Bytes of the whole picture. */
    bytes: positiveIntegerSchema,
    /** 1, 2, 3 … The agent repeats a part until its acknowledgement; a repetition changes nothing. */
    part: positiveIntegerSchema,
    /** The bytes of the part in base64. */
    data: { type: 'string', maxLength: 4 * Math.ceil(PICTURE_PART_BYTES / 3) },
  },
  required: ['type', 'instanceID', 'fence', 'evidenceID', 'mediaType', 'bytes', 'part', 'data'],
  additionalProperties: false,
} as const satisfies Schema;

/** The agent finishes what it holds and takes no more offers on this connection; it still rejects an offer that was on its way. */
const drainSchema = {
  type: 'object',
  properties: { type: { const: 'drain' } },
  required: ['type'],
  additionalProperties: false,
} as const satisfies Schema;

/** Every frame that an agent may send, by type. */
export const agentFrameSchemas = {
  hello: helloSchema,
  accept: acceptSchema,
  reject: rejectSchema,
  report: reportSchema,
  evidence: evidenceSchema,
  drain: drainSchema,
  heartbeat: heartbeatSchema,
} as const;

export type AgentFrame = FrameOf<typeof agentFrameSchemas>;

export type HelloFrame = FromSchema<typeof helloSchema>;
export type ReportFrame = FromSchema<typeof reportSchema>;
export type ReportLine = FromSchema<typeof logLineSchema>;
export type ReportResponse = FromSchema<typeof responseSchema>;
export type ReportEnd = FromSchema<typeof endSchema>;
export type EvidenceFrame = FromSchema<typeof evidenceSchema>;
