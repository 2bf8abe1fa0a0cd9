import { ApiError } from '@batuta/errors';
import { parseJson, readRawBody, requireUtf8 } from '@batuta/http';
import { messageOfRefusedName, type JsonThread } from '@batuta/json';
import { MAX_VARIABLES } from '@batuta/matrix';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';

/**
 * A body of at most this size usually arrives with its headers, and Node buffers as much of each connection anyway:
 * reading it for an unknown sender costs little more memory.
 */
export const MAX_SMALL_BODY_BYTES = 16_384;

/** The fields that a route reads or refuses in a body; others are dropped, because copying a megabyte of unknown fields takes long. */
const BODY_FIELDS = ['processID', 'name', 'cronExpression', 'matrix', 'environmentID', 'active', 'dryRun', 'timeZone'];
/**
 * Number of matrix values that are kept: one more than a process can have variables, so that a start with too many is
 * still refused.
 */
const MAX_VALUES = MAX_VARIABLES + 1;

/**
 * Begins to read a small body in the next turn of the event loop, so that the database query of this turn is sent
 * first. The caller may ignore the promise: its rejection matters only to the step that awaits it (interpretation 11).
 * Returns undefined for a body that is empty, larger than MAX_SMALL_BODY_BYTES, compressed or of unknown length; the body step reads it.
 */
export function readSmallBody(request: IncomingMessage): Promise<Record<string, unknown>> | undefined {
  const { 'content-length': length = '0', 'content-encoding': encoding } = request.headers;
  if (length === '0' || Number(length) > MAX_SMALL_BODY_BYTES || encoding !== undefined) return undefined;
  const body = setImmediate().then(() => readJsonBody(request));
  // Without this handler the rejection would be unhandled, because the request may be refused before any step awaits
  // the body.
  body.catch(() => {});
  return body;
}

/**
 * The parsed body of a `/v1` request; an empty one is `{}`. A body without a Content-Type is read as JSON, one of another media
 * type is refused: only webhooks take any media type (interpretation 24), and BAD_REQUEST is the contract's only code for it.
 * Throws UNSUPPORTED_CHARSET, PAYLOAD_TOO_LARGE or BAD_REQUEST (interpretation 17).
 */
async function readJsonBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  requireJsonContentType(request.headers);
  return parseJsonBody(await readRawBody(request));
}

/** An empty body is `{}`. Throws BAD_REQUEST for bytes that are not a JSON object in UTF-8. */
export function parseJsonBody(bytes: Buffer): Record<string, unknown> {
  const value = bytes.length === 0 ? {} : parseJson(bytes);
  if (!isObject(value)) throw new ApiError('BAD_REQUEST', 'body: must be a JSON object');
  return value;
}

/** Like `parseJsonBody`, but in a thread, only with BODY_FIELDS, and with a RawJson in place of each long list and object. */
export async function readLargeBody(bytes: Buffer, thread: JsonThread): Promise<Record<string, unknown>> {
  const read = await thread.readFields(bytes, BODY_FIELDS, MAX_VALUES);
  if ('fields' in read) return read.fields;
  const problem = read.problem === 'name' ? messageOfRefusedName(read.name) : PROBLEM_MESSAGES[read.problem];
  throw new ApiError('BAD_REQUEST', `body: ${problem}`);
}

const PROBLEM_MESSAGES = {
  encoding: 'is not valid UTF-8',
  syntax: 'is not valid JSON',
  'no object': 'must be a JSON object',
};

/** Checks only the Content-Type, which may be absent. Throws BAD_REQUEST for another media type than JSON, and UNSUPPORTED_CHARSET. */
export function requireJsonContentType(headers: IncomingHttpHeaders): void {
  requireUtf8(headers);
  if (headers['content-length'] === '0') return;
  const [type = ''] = (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (type !== '' && type !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(type)) {
    throw new ApiError('BAD_REQUEST', 'Content-Type: must be application/json');
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
