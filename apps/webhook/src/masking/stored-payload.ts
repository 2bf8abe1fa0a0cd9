import { jsonObstacle, parseJsonText } from '@batuta/matrix';
import { payloadHasRefusedName, HEADERS_ROOT, payloadOf, QUERY_ROOT, type Payload } from '../payload/payload-tree';
import { MASK, maskPayload } from './masking';

/** Maximum size of a body that a capture stores completely (contract 4.17, interpretation 24). */
export const MAX_CAPTURED_BYTES = 102_400;

/** A payload as a capture stores it. */
export interface StoredPayload {
  /** Whether the body was larger than MAX_CAPTURED_BYTES, so that it cannot be mapped. */
  truncated: boolean;
  /** The text of the body; of a truncated one its beginning, or nothing once a mapping to a Secreto had to be redacted. */
  body: string;
  /** The query string without the question mark, such as `a=1&b=2`: as it was sent, or written anew with masked values. */
  query: string;
  /** The headers without credentials and HIDDEN_HEADERS; names are in lower case. */
  headers: Record<string, string>;
}

/**
 * The payload with the mask in place of the values at `pointers`; without pointers it is returned unchanged. The body is serialized
 * again, which also drops earlier values of duplicate JSON keys. A truncated body is dropped completely (interpretation
 * 28), and one that cannot be serialized is replaced by the mask: it is nested too deeply, or has a number beyond the
 * range of a double. A payload that an earlier release stored with a refused name (interpretation 62) is replaced completely.
 */
export function redactPayload(stored: StoredPayload, pointers: readonly string[]): StoredPayload {
  if (pointers.length === 0) return stored;
  const payload = parseStoredPayload(stored);
  const { body, tree } = payload ? maskPayload(payload, pointers) : { body: MASK, tree: {} };
  return {
    truncated: stored.truncated,
    body: stored.truncated || stored.body === '' ? '' : bodyText(body),
    query: queryText(tree[QUERY_ROOT]),
    headers: headerFields(tree[HEADERS_ROOT]),
  };
}

/** The parsed payload of a capture, in which a truncated body has no fields; undefined when it has a refused name. */
function parseStoredPayload({ truncated, body, query, headers }: StoredPayload): Payload | undefined {
  const text = truncated || body === '' ? '{}' : body;
  return payloadHasRefusedName(text, query) ? undefined : payloadOf(parseJsonText(text), query, headers);
}

/** The beginning of a text, at most MAX_CAPTURED_BYTES long and without a partial character. */
export function truncateText(text: string): string {
  const bytes = Buffer.from(text).subarray(0, MAX_CAPTURED_BYTES);
  return new TextDecoder('utf-8').decode(bytes, { stream: true });
}

function bodyText(body: unknown): string {
  return JSON.stringify(jsonObstacle(body) ? MASK : body);
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
