/** Versions, limits and close codes of the protocol between router and agent (docs/agent-protocol.md). */
export const AGENT_PROTOCOL_VERSION = 1;
export const AGENT_PATH = '/agent/v1';
/** Bytes. Larger frames close the connection. */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;
/** Bytes of a frame before the welcome: a hello with 2000 held instances has about half of it. */
export const MAX_HELLO_BYTES = 512 * 1024;
/** WebSocket frames of one message. */
export const MAX_MESSAGE_PARTS = 1_024;
/** Characters of one log message; agents cut longer ones and say so. */
export const MAX_LOG_MESSAGE = 16_384;
/** Characters of the evidence of one line. */
export const MAX_EVIDENCE = 1_000_000;
/** Bytes of evidence that the log of one instance keeps; a line beyond them is kept without its evidence. */
export const MAX_EVIDENCE_BYTES = 64 * 1024 * 1024;
/** Lines in one report; the next report carries the others. */
export const MAX_REPORT_LINES = 500;
/** Bytes of one report frame: the router forwards it whole inside one NATS message of at most 8 MB. */
export const MAX_REPORT_BYTES = MAX_FRAME_BYTES - 64 * 1024;

/** In `hello`: the agent runs Webhook Response steps and reports their answers. */
export const ABILITY_WEBHOOK_RESPONSE = 'webhookResponse';

/** Maximum bytes of an answer's body (contract 8). */
export const MAX_RESPONSE_BYTES = 262_144;

/** Close codes after which an agent must not reconnect at once: the cause lasts. After any other code it reconnects. */
export const AGENT_CLOSE = {
  /** A message was not a frame of this protocol. A message above the size limit closes with 1009. */
  badFrame: 4400,
  /** The activation key became unknown. An upgrade request with an unknown key is answered with HTTP 401. */
  badKey: 4401,
  /** The environment was deleted. */
  environmentGone: 4403,
  /** The router does not support the agent's protocol version. */
  protocolVersion: 4409,
} as const;

/** Close codes after which the agent tries again after a pause. */
export const AGENT_RETRY_CLOSE = {
  /** No `hello` arrived within the time limit. */
  helloTimeout: 4408,
  /** A message took too long, or the agents of the environment send more at once than the router keeps. */
  tooMuchData: 4413,
  /** The environment has its maximum number of sessions. */
  tooManySessions: 4429,
} as const;
