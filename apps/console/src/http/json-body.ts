import { ApiError } from '@batuta/errors';
import { MAX_BODY_BYTES, parseJson, readInflatedBody, readRawBody, requireUtf8 } from '@batuta/http';
import type { Request } from 'express';

/**
 * Maximum bytes of a login body: the longest e-mail address and password (1,000 characters) fit even if every character
 * is written as \uXXXX.
 */
const MAX_LOGIN_BODY_BYTES = 16_384;

/** Whether the request has a body; a body without a declared length may turn out to be empty. */
export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

/** Upper bound of the body's size in bytes, from its headers. */
export function maxBytesOf({ headers }: Request): number {
  const length = Number(headers['content-length']);
  const isKnown = headers['content-encoding'] === undefined && length <= MAX_BODY_BYTES;
  return isKnown ? length : MAX_BODY_BYTES;
}

/** The JSON body, an object or a list, of an authenticated caller. Throws UNSUPPORTED_CHARSET, PAYLOAD_TOO_LARGE or BAD_REQUEST. */
export async function readJsonBody(request: Request): Promise<unknown> {
  requireJsonContentType(request);
  return toValue(await readInflatedBody(request));
}

/** The JSON body of a login: small and uncompressed, because its sender is not authenticated. */
export async function readLoginBody(request: Request): Promise<unknown> {
  requireJsonContentType(request);
  return toValue(await readRawBody(request, { maxBytes: MAX_LOGIN_BODY_BYTES, readRest: false }));
}

function requireJsonContentType(request: Request): void {
  // A form of another site cannot send JSON, so no other content type is accepted (see SessionGuard).
  if (request.is('application/json') === false) {
    throw new ApiError('BAD_REQUEST', 'Content-Type: must be application/json');
  }
  requireUtf8(request.headers);
}

function toValue(bytes: Buffer): unknown {
  const value = bytes.length === 0 ? {} : parseJson(bytes);
  if (typeof value !== 'object' || value === null) {
    throw new ApiError('BAD_REQUEST', 'body: must be a JSON object or list');
  }
  return value;
}
