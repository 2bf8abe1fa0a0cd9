/** Bytes of values, flows or answers in one reply; NATS carries messages of at most 8 MB. */
export const MAX_REPLY_BYTES = 4 * 1024 * 1024;
