import { ApiError } from '@batuta/errors';
import { parseJson, readRawBody, requireUtf8 } from '@batuta/http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/**
 * Reads and parses the body of a `/v1` request. An empty one is `{}`; without a Content-Type it is read as JSON, with
 * another media type it is refused: "any media type" is a leniency of webhooks (reading 24), and the contract has no code
 * for it but BAD_REQUEST.
 * Throws UNSUPPORTED_CHARSET, PAYLOAD_TOO_LARGE or BAD_REQUEST (reading 17).
 */
export async function readJsonBody(request: IncomingMessage): Promise<Record<string, unknown>> {
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
