import { isTooDeep } from '@batuta/matrix';
import { MASK, masked } from './masking';
import { HEADERS, payloadOf, QUERY } from './tree';

/** Bytes of the largest body that a capture keeps whole (contract 4.17, interpretation 24). */
export const MAX_CAPTURED_BYTES = 102_400;

/** A payload as a capture holds it. */
export interface StoredPayload {
  truncated: boolean;
  /** Text of the body; of a truncated one its beginning. */
  body: string;
  /** As it came: `a=1&b=2`. */
  query: string;
  headers: Record<string, string>;
}

/**
 * The same payload without what the pointers find. It is not to be had back: the masked body is written anew, so that
 * nothing is left of what JSON says twice. Of a truncated one nothing is kept (interpretation 28), of one that is nested too
 * deeply to be written only that it was there. Without pointers it stays as it is.
 */
export function redacted(stored: StoredPayload, pointers: readonly string[]): StoredPayload {
  if (pointers.length === 0) return stored;
  const parsed: unknown = stored.truncated || stored.body === '' ? {} : JSON.parse(stored.body);
  const { body, tree } = masked(payloadOf(parsed, stored.query, stored.headers), pointers);
  return {
    truncated: stored.truncated,
    body: stored.truncated || stored.body === '' ? '' : bodyText(body),
    query: queryText(tree[QUERY]),
    headers: headerFields(tree[HEADERS]),
  };
}

/** As much of the text as fits into a capture, whole characters only. */
export function beginningOf(text: string): string {
  const bytes = Buffer.from(text).subarray(0, MAX_CAPTURED_BYTES);
  return new TextDecoder('utf-8').decode(bytes, { stream: true });
}

function bodyText(body: unknown): string {
  return JSON.stringify(isTooDeep(body) ? MASK : body);
}

function queryText(query: unknown): string {
  const fields: [string, unknown][] = isFields(query) ? Object.entries(query) : [[MASK, '']];
  const pairs = fields.flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, String(each)]));
  return String(new URLSearchParams(pairs));
}

function headerFields(headers: unknown): Record<string, string> {
  if (!isFields(headers)) return { [MASK]: '' };
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function isFields(node: unknown): node is Record<string, unknown> {
  return typeof node === 'object' && node !== null;
}
