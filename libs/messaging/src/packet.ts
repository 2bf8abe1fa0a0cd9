import { parseWithRaw, stringifyWithRaw } from '@batuta/json';
import { headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';

/**
 * The positions of the RawJson texts in a packet. A receiver that ignores the header parses the whole packet; the bytes of the packet are
 * the same with and without the header.
 */
const RAW_HEADER = 'X-Raw-Json';

export interface WrittenPacket {
  data: string;
  headers?: MsgHdrs;
}

/** Writes the message of a packet; `sent` = further headers. */
export function writePacket(packet: unknown, sent?: MsgHdrs): WrittenPacket {
  const { json, ranges } = stringifyWithRaw(packet);
  if (ranges === undefined) return { data: json, headers: sent };
  const withRanges = sent ?? headers();
  withRanges.set(RAW_HEADER, ranges);
  return { data: json, headers: withRanges };
}

/** Whether the message gives the positions of its large values, which then need not be parsed. */
export function hasRawParts(message: Msg): boolean {
  return message.headers?.has(RAW_HEADER) === true;
}

/** Reads the packet of a message; throws SyntaxError for invalid JSON. */
export function readPacket(message: Msg, { raw }: { raw: boolean }): unknown {
  const ranges = raw ? message.headers?.get(RAW_HEADER) : undefined;
  return ranges ? parseWithRaw(message.string(), ranges) : message.json();
}
