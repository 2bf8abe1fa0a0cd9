import type { FromSchema } from 'json-schema-to-ts';
import {
  desiredStateSchema,
  evidenceIDSchema,
  heartbeatSchema,
  heldInstanceSchema,
  idSchema,
  positiveIntegerSchema,
  traceparentSchema,
  type FrameOf,
  type Schema,
} from './frame-parts';

// The frames that a router sends.

/** The router's reply to `hello`: the session exists. */
const welcomeSchema = {
  type: 'object',
  properties: {
    type: { const: 'welcome' },
    protocol: { type: 'integer' },
    sessionID: idSchema,
    environmentID: idSchema,
    /** The agent sends a heartbeat at this interval; the router replies to each with a heartbeat. */
    heartbeatSeconds: { type: 'number', exclusiveMinimum: 0 },
    /**
     * An agent that has received no frame for this long begins no further effect, because Batuta may soon give its
     * instances up.
     */
    graceSeconds: { type: 'number', exclusiveMinimum: 0 },
    /** Reply to `resume`: the agent continues or begins the granted instances and drops the revoked ones. */
    granted: {
      type: 'array',
      items: {
        type: 'object',
        properties: { ...heldInstanceSchema.properties, desired: desiredStateSchema },
        required: ['instanceID', 'fence', 'desired'],
        additionalProperties: false,
      },
    },
    revoked: { type: 'array', items: heldInstanceSchema },
    /** Present when the router takes pictures: the size of each part but the last, and the maximum size of a picture. */
    evidence: {
      type: 'object',
      properties: { partBytes: positiveIntegerSchema, pictureBytes: positiveIntegerSchema },
      required: ['partBytes', 'pictureBytes'],
      additionalProperties: false,
    },
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

/**
 * An instance for the agent, which accepts or rejects it. Without a reply within OFFER_SECONDS (5 unless set) the router revokes the offer; there
 * is a second more for each 125,000 bytes of unanswered offers, at most 7.5 seconds more.
 */
const offerSchema = {
  type: 'object',
  properties: {
    type: { const: 'offer' },
    instanceID: idSchema,
    fence: positiveIntegerSchema,
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
    /** Further `matrix` and `vault` values, sealed to the agent's public key, in base64 (docs/agent-protocol.md). */
    sealed: { type: 'string' },
    /** Present when the start is traced: the parent of the agent's spans, as W3C Trace Context. */
    traceparent: traceparentSchema,
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

/** The accepted instance may run, as `desired` says. */
const grantSchema = {
  type: 'object',
  properties: {
    type: { const: 'grant' },
    instanceID: idSchema,
    fence: positiveIntegerSchema,
    desired: desiredStateSchema,
  },
  required: ['type', 'instanceID', 'fence', 'desired'],
  additionalProperties: false,
} as const satisfies Schema;

/** Withdraws an offer, also one that the agent has accepted but that is not granted: the agent drops the instance. */
const revokeSchema = {
  type: 'object',
  properties: { type: { const: 'revoke' }, instanceID: idSchema, fence: positiveIntegerSchema },
  required: ['type', 'instanceID', 'fence'],
  additionalProperties: false,
} as const satisfies Schema;

/** The new desired state of a running instance. A stop takes effect at once, a pause or its end between two steps. */
const desiredStateFrameSchema = {
  type: 'object',
  properties: {
    type: { const: 'desired' },
    instanceID: idSchema,
    fence: positiveIntegerSchema,
    desired: desiredStateSchema,
  },
  required: ['type', 'instanceID', 'fence', 'desired'],
  additionalProperties: false,
} as const satisfies Schema;

/** `accepted: true`: the report is stored. `accepted: false`: Batuta takes no more reports of this instance, and the agent drops it. */
const reportAckSchema = {
  type: 'object',
  properties: {
    type: { const: 'ack' },
    instanceID: idSchema,
    fence: positiveIntegerSchema,
    seq: { type: 'integer' },
    accepted: { type: 'boolean' },
  },
  required: ['type', 'instanceID', 'fence', 'seq', 'accepted'],
  additionalProperties: false,
} as const satisfies Schema;

/**
 * `accepted: true`: the part is stored. `accepted: false`: Batuta does not keep the picture, for the reason of `code` and `message`, and the agent
 * drops it; but with the code BUSY it sends the same part again.
 */
const evidenceAckSchema = {
  type: 'object',
  properties: {
    type: { const: 'evidenceAck' },
    instanceID: idSchema,
    fence: positiveIntegerSchema,
    evidenceID: evidenceIDSchema,
    part: positiveIntegerSchema,
    accepted: { type: 'boolean' },
    code: { type: 'string' },
    message: { type: 'string' },
  },
  required: ['type', 'instanceID', 'fence', 'evidenceID', 'part', 'accepted'],
  additionalProperties: false,
} as const satisfies Schema;

/** Why the router is about to close the connection. */
const errorSchema = {
  type: 'object',
  properties: {
    type: { const: 'error' },
    code: { type: 'string' },
    message: { type: 'string' },
    /** The instance whose report is no frame of the protocol: the agent gives the instance up. */
    instanceID: idSchema,
  },
  required: ['type', 'code', 'message'],
  additionalProperties: false,
} as const satisfies Schema;

/** Every frame that a router may send, by type. */
export const routerFrameSchemas = {
  welcome: welcomeSchema,
  offer: offerSchema,
  grant: grantSchema,
  revoke: revokeSchema,
  desired: desiredStateFrameSchema,
  ack: reportAckSchema,
  evidenceAck: evidenceAckSchema,
  heartbeat: heartbeatSchema,
  error: errorSchema,
} as const;

export type RouterFrame = FrameOf<typeof routerFrameSchemas>;

export type WelcomeFrame = FromSchema<typeof welcomeSchema>;
export type OfferFrame = FromSchema<typeof offerSchema>;
export type EvidenceAckFrame = FromSchema<typeof evidenceAckSchema>;
