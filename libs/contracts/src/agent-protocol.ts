import { z } from 'zod';

/**
 * The frames between router and agent: JSON over WebSocket, one object a frame (docs/agent-protocol.md).
 * The agent speaks first with `hello`. Unknown fields are ignored, so either side may learn new ones.
 */
export const AGENT_PROTOCOL_VERSION = 1;
export const AGENT_PATH = '/agent/v1';
/** Bytes. Larger frames close the connection. */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;
/** Characters of one log message; agents cut longer ones and say so. */
export const MAX_LOG_MESSAGE = 16_384;
/** Lines in one report; more wait for the next. */
export const MAX_REPORT_LINES = 500;
/** Bytes of one report's frame: it travels on whole inside a message of at most 8 MB. */
export const MAX_REPORT_BYTES = MAX_FRAME_BYTES - 64 * 1024;

/** In `hello`: the agent runs Webhook Response steps and reports their answers. */
export const ABILITY_WEBHOOK_RESPONSE = 'webhookResponse';

/** Bytes of an answer's body, inclusive (contract 8). */
export const MAX_RESPONSE_BYTES = 262_144;

/** Why the router closes a connection for good; anything else is worth a quick reconnect. */
export const AGENT_CLOSE = {
  /** The agent sent something that is no frame of this protocol. A frame too large closes with 1009. */
  badFrame: 4400,
  /** The activation key is not known any more. An upgrade request with such a key is answered HTTP 401. */
  badKey: 4401,
  /** The environment was deleted. */
  environmentGone: 4403,
  /** The agent speaks a protocol version that the router does not. */
  protocolVersion: 4409,
} as const;

/** Why the router closes a connection although the agent may try again, after a while. */
export const AGENT_RETRY_CLOSE = {
  /** No `hello` came in time. */
  helloTimeout: 4408,
  /** The environment has as many sessions as it may. */
  tooManySessions: 4429,
} as const;

const id = z.string().min(1).max(64);
const fence = z.int().min(1);

const held = z.object({ instanceID: id, fence });

export const helloFrame = z.object({
  type: z.literal('hello'),
  protocol: z.int().min(1),
  agent: z.string().min(1).max(120),
  runtimeVersion: z.string().min(1).max(40),
  os: z.string().max(40).optional(),
  capacity: z.int().min(1).max(1000),
  abilities: z.array(z.string().max(40)).max(50),
  /** Present when this process was connected before: its last session and all that it still holds. */
  resume: z.object({ sessionID: id, held: z.array(held).max(2000) }).optional(),
});

export const logLineFrame = z.object({
  /** ISO 8601 UTC. */
  timestamp: z.iso.datetime(),
  severity: z.enum(['INFO', 'WARNING', 'ERROR']),
  message: z.string().max(MAX_LOG_MESSAGE),
  stepID: z.string().max(200),
  evidence: z.string().max(1_000_000).nullable().optional(),
});

export const endFrame = z.object({
  outcome: z.enum(['FINALIZED', 'TERMINATED', 'STEP_LIMIT_REACHED', 'ERROR', 'STOPPED', 'CRASHED']),
  errorStep: z.string().max(200).nullable(),
  errorMessage: z.string().max(4_000).nullable(),
});

/**
 * What a Webhook Response step answers: `code` an HTTP status of contract 4.17, `body` JSON text of at most 256 KB. Taken as it
 * comes and judged by the service (interpretation 30): an agent that gets it wrong must not lose its connection for it.
 */
export const responseFrame = z.object({ code: z.unknown().optional(), body: z.unknown().optional() });

export const reportFrame = z.object({
  type: z.literal('report'),
  instanceID: id,
  fence,
  /** 1, 2, 3 … per instance and fence. Sent again until it is acknowledged; a repeated one changes nothing. */
  seq: z.int().min(1),
  lines: z.array(logLineFrame).max(MAX_REPORT_LINES),
  /** Only of an offer that was `awaited`; of several the first counts. */
  response: responseFrame.optional(),
  end: endFrame.optional(),
});

export const acceptFrame = z.object({ type: z.literal('accept'), instanceID: id, fence });
export const rejectFrame = z.object({ type: z.literal('reject'), instanceID: id, fence, reason: z.string().max(500) });
/** The agent is about to leave: it finishes what it holds and takes no more offers on this connection. */
export const drainFrame = z.object({ type: z.literal('drain') });
export const heartbeatFrame = z.object({ type: z.literal('heartbeat') });

/** Everything an agent may send. */
export const agentFrame = z.discriminatedUnion('type', [
  helloFrame,
  acceptFrame,
  rejectFrame,
  reportFrame,
  drainFrame,
  heartbeatFrame,
]);

export type HelloFrame = z.infer<typeof helloFrame>;
export type ReportFrame = z.infer<typeof reportFrame>;
export type ReportLine = z.infer<typeof logLineFrame>;
export type ReportResponse = z.infer<typeof responseFrame>;
export type ReportEnd = z.infer<typeof endFrame>;
export type AgentFrame = z.infer<typeof agentFrame>;

const desired = z.enum(['run', 'pause', 'stop']);

export const welcomeFrame = z.object({
  type: z.literal('welcome'),
  protocol: z.int(),
  sessionID: id,
  environmentID: id,
  /** The agent sends a heartbeat this often; the router answers each with one of its own. */
  heartbeatSeconds: z.number().positive(),
  /** Unheard for this long, the agent stops what it runs: the service will soon give those instances up. */
  graceSeconds: z.number().positive(),
  /** Answer to `resume`: go on with these (a start for those accepted but not begun), drop those. */
  granted: z.array(held.extend({ desired })),
  revoked: z.array(held),
});

export const offerFrame = z.object({
  type: z.literal('offer'),
  instanceID: id,
  fence,
  processID: z.string(),
  processName: z.string(),
  version: z.string(),
  userName: z.string(),
  requestID: z.string(),
  flow: z.unknown(),
  matrix: z.array(z.object({ name: z.string(), type: z.string(), value: z.unknown() })),
  /** A caller waits for the answer of a Webhook Response step. */
  awaited: z.boolean().optional(),
  vault: z.record(z.string(), z.string()),
});

export const grantFrame = z.object({ type: z.literal('grant'), instanceID: id, fence, desired });
export const revokeFrame = z.object({ type: z.literal('revoke'), instanceID: id, fence });
export const desiredFrame = z.object({ type: z.literal('desired'), instanceID: id, fence, desired });
/** `accepted: false`: the service no longer takes reports of this instance; the agent drops it. */
export const ackFrame = z.object({
  type: z.literal('ack'),
  instanceID: id,
  fence,
  seq: z.int(),
  accepted: z.boolean(),
});
export const errorFrame = z.object({ type: z.literal('error'), code: z.string(), message: z.string() });

/** Everything a router may send. */
export const routerFrame = z.discriminatedUnion('type', [
  welcomeFrame,
  offerFrame,
  grantFrame,
  revokeFrame,
  desiredFrame,
  ackFrame,
  heartbeatFrame,
  errorFrame,
]);

export type WelcomeFrame = z.infer<typeof welcomeFrame>;
export type OfferFrame = z.infer<typeof offerFrame>;
export type RouterFrame = z.infer<typeof routerFrame>;
