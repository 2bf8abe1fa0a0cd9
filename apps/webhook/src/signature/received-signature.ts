/** The replay window of Standard Webhooks, Slack and Zoom, for a rule without a tolerance of its own. */
export const DEFAULT_TOLERANCE_SECONDS = 300;

/** A parsed signature of any form. */
export interface ReceivedSignature {
  /** Undefined for a signature of Standard Webhooks without an id, or whose rule has a secret of another form. */
  key: string | Buffer | undefined;
  /** The signature covers this text followed by the body. */
  prefix: string;
  /** Seconds since 1970, as received; undefined in a form without one. */
  timestamp?: string | undefined;
  /**
   * Maximum difference in seconds, to either side, between the timestamp and the receipt of the call; null = any difference, and the timestamp
   * may be missing.
   */
  toleranceSeconds: number | null;
  /** In hexadecimal or base64; one that fits is enough. */
  digests: string[];
  /** Only of a signature of Standard Webhooks: the id of the message, which becomes the idempotency key of the start. */
  messageID?: string;
}
