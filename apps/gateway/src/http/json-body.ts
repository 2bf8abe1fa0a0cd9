import { ApiError } from '@batuta/errors';
import { parseJson, readRawBody, requireUtf8 } from '@batuta/http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';

/**
 * Bytes. A body of no more has most often come with its headers, and a request would hold as many before anybody reads
 * them: one that is read ahead for an unknown sender takes little more.
 */
const SMALL = 16_384;

interface BodyRequest extends IncomingMessage {
  /** A small body, on its way. */
  ahead?: Promise<Record<string, unknown>>;
}

/**
 * Begins to read a small body while the database answers what was asked for in this turn of the event loop. What is wrong
 * with it is told when `readJsonBody` is asked for it, and not before (interpretation 11). What is larger, compressed or does not
 * tell its length is left until then.
 */
export function readAhead(request: BodyRequest): void {
  const { 'content-length': length = '0', 'content-encoding': encoding } = request.headers;
  if (length === '0' || Number(length) > SMALL || encoding !== undefined) return;
  request.ahead = setImmediate().then(() => read(request));
  // The sender may be refused, and nobody ask for it.
  request.ahead.catch(() => {});
}

/**
 * The parsed body of a `/v1` request. An empty one is `{}`; without a Content-Type it is read as JSON, with another media
 * type it is refused: "any media type" is a leniency of webhooks (interpretation 24), and the contract has no code for it but
 * BAD_REQUEST.
 * Throws UNSUPPORTED_CHARSET, PAYLOAD_TOO_LARGE or BAD_REQUEST (interpretation 17).
 */
export function readJsonBody(request: BodyRequest): Promise<Record<string, unknown>> {
  return request.ahead ?? read(request);
}

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  requireUtf8(request.headers);
  requireJson(request.headers);
  const bytes = await readRawBody(request);
  const value = bytes.length === 0 ? {} : parseJson(bytes);
  if (!isObject(value)) throw new ApiError('BAD_REQUEST', 'body: must be a JSON object');
  return value;
}

function requireJson(headers: IncomingHttpHeaders): void {
  if (headers['content-length'] === '0') return;
  const [type = ''] = (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (type !== '' && type !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(type)) {
    throw new ApiError('BAD_REQUEST', 'Content-Type: must be application/json');
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
