import { parseWithRaw, stringifyWithRaw } from '@batuta/json';
import { headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';

/**
 * Where the parts of a packet stand that its sender did not parse. A receiver that does not know the header, or wants values, parses
 * the whole packet, whose bytes are the same with and without it.
 */
export const RAW_HEADER = 'X-Raw-Json';

export interface WrittenPacket {
  data: string;
  headers?: MsgHdrs;
}

/** `sent` = further headers. */
export function writePacket(packet: unknown, sent?: MsgHdrs): WrittenPacket {
  const { json, ranges } = stringifyWithRaw(packet);
  if (ranges === undefined) return { data: json, headers: sent };
  const withRanges = sent ?? headers();
  withRanges.set(RAW_HEADER, ranges);
  return { data: json, headers: withRanges };
}

/** Its large values need not be parsed. */
export function isRaw(message: Msg): boolean {
  return message.headers?.has(RAW_HEADER) === true;
}

/** Throws SyntaxError. */
export function readPacket(message: Msg, { raw }: { raw: boolean }): unknown {
  const ranges = raw ? message.headers?.get(RAW_HEADER) : undefined;
  return ranges ? parseWithRaw(message.string(), ranges) : message.json();
}
