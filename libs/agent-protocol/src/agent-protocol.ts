// Versions, limits and close codes of the protocol between router and agent (docs/agent-protocol.md).

/**
 * The value of `protocol` in `hello` and `welcome`. The router refuses a `hello` with another number (4409). It does not take the version
 * from the path: the `v1` in AGENT_PATH belongs to the address only.
 */
export const AGENT_PROTOCOL_VERSION = 1;
export const AGENT_PATH = '/agent/v1';
/** Maximum bytes of a frame of this protocol, which is one WebSocket message; a larger one closes the connection. */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;
/** Maximum bytes of a frame before the welcome; twice as much as a hello with 2000 held instances needs. */
export const MAX_HELLO_BYTES = 512 * 1024;
/** Maximum number of WebSocket frames of one message. */
export const MAX_FRAGMENTS = 1_024;
/** Maximum number of characters of one log message; an agent shortens a longer message. */
export const MAX_LOG_MESSAGE_CHARACTERS = 16_384;
/** Maximum number of characters of the evidence of one log line; a report with a longer one closes the connection (4400). */
export const MAX_LINE_EVIDENCE_CHARACTERS = 1_000_000;
/**
 * Maximum bytes of evidence of one instance, counted separately for its pictures and for the text in its log lines.
 * Evidence beyond it is dropped.
 */
export const MAX_EVIDENCE_BYTES = 64 * 1024 * 1024;
/** Maximum bytes of one picture. */
export const MAX_PICTURE_BYTES = 5 * 1024 * 1024;
/** Maximum number of pictures of one instance. */
export const MAX_PICTURES = 100;
/** Bytes of each part of a picture but the last one, which has the rest. */
export const PICTURE_PART_BYTES = 256 * 1024;
/** Maximum number of log lines in one report; the next report carries the others. */
export const MAX_REPORT_LINES = 500;
/** Maximum bytes of one report frame: the router forwards the frame whole inside one NATS message of at most 8 MB. */
export const MAX_REPORT_BYTES = MAX_FRAME_BYTES - 64 * 1024;

/** Announced in `hello` by an agent that runs Webhook Response steps and reports their answers. */
export const ABILITY_WEBHOOK_RESPONSE = 'webhookResponse';

/**
 * An ability that is no step type: an agent with a public key has it, and instances with secret values need it if the
 * operator requires that. No agent lists it.
 */
export const ABILITY_SEALED_VALUES = 'sealedValues';

/** Maximum bytes of the JSON body of a Webhook Response step's answer (contract 8). */
export const MAX_RESPONSE_BYTES = 262_144;

/**
 * Close codes of a refusal whose cause lasts. An agent that was never welcomed ends; a welcomed one tries again every minute, except after
 * a 4400 whose `error` frame named an instance: then it tries again with backoff, without that instance.
 */
export const REFUSAL_CLOSE_CODES = {
  /** A message was not a frame of this protocol. A message above the size limit closes with 1009. */
  badFrame: 4400,
  /**
   * The activation key became unknown, or the environment was deleted before the `hello`. An upgrade request with an unknown key is answered with
   * HTTP 401.
   */
  badKey: 4401,
  /** The environment was deleted. */
  environmentGone: 4403,
  /** The router does not support the agent's protocol version. */
  protocolVersion: 4409,
} as const;

/** Close codes after which the agent tries again after a pause. */
export const RETRY_CLOSE_CODES = {
  /** No `hello` arrived within the time limit. */
  helloTimeout: 4408,
  /** A message took too long, or the agents of the environment send more at once than the router keeps. */
  tooMuchData: 4413,
  /** The environment has its maximum number of sessions. */
  tooManySessions: 4429,
} as const;
