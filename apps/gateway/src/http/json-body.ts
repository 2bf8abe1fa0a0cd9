import { ApiError } from '@batuta/errors';
import type { IncomingMessage } from 'node:http';
import { readRawBody } from './raw-body';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads and parses the body of a `/v1` request. An empty one is `{}`; without a Content-Type it is read as JSON, with
 * another media type it is refused: "any media type" is a leniency of webhooks (reading 24), and the contract has no code
 * for it but BAD_REQUEST.
 * Throws UNSUPPORTED_CHARSET, PAYLOAD_TOO_LARGE or BAD_REQUEST (reading 17).
 */
export async function readJsonBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  checkType(request);
  const bytes = await readRawBody(request);
  return bytes.length === 0 ? {} : parseJsonObject(bytes);
}

/** UTF-8 text of one JSON object. Throws BAD_REQUEST; the message never quotes the body, which may hold a Secreto. */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  const value = parse(decode(bytes));
  if (!isObject(value)) throw new ApiError('BAD_REQUEST', 'body: must be a JSON object');
  return value;
}

function checkType({ headers }: IncomingMessage): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice(8);
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) {
    throw new ApiError('UNSUPPORTED_CHARSET', 'Content-Type: the charset must be UTF-8');
  }
  if (headers['content-length'] === '0') return;
  if (type !== '' && type !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(type)) {
    throw new ApiError('BAD_REQUEST', 'Content-Type: must be application/json');
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ApiError('BAD_REQUEST', 'body: is not valid UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('BAD_REQUEST', 'body: is not valid JSON');
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
