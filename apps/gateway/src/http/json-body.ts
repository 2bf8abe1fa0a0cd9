import { ApiError } from '@batuta/errors';
import type { IncomingMessage } from 'node:http';

/** Bytes, inclusive (readings 17 and 24). */
export const MAX_BODY_BYTES = 1_048_576;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads and parses the body of a `/v1` request. An empty one is `{}`; without a Content-Type it is read as JSON, with
 * another media type it is refused: "any media type" is a leniency of webhooks (reading 24), and the contract has no code
 * for it but BAD_REQUEST.
 * Throws UNSUPPORTED_CHARSET, PAYLOAD_TOO_LARGE or BAD_REQUEST (reading 17).
 */
export async function readJsonBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  checkHeaders(request);
  const bytes = await readBytes(request);
  return bytes.length === 0 ? {} : parseJsonObject(bytes);
}

/** UTF-8 text of one JSON object. Throws BAD_REQUEST; the message never quotes the body, which may hold a Secreto. */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  const value = parse(decode(bytes));
  if (!isObject(value)) throw new ApiError('BAD_REQUEST', 'body: must be a JSON object');
  return value;
}

function checkHeaders({ headers }: IncomingMessage): void {
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
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new ApiError('BAD_REQUEST', 'Content-Encoding: send the body uncompressed');
  }
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
}

// Refused bodies are not kept; the server reads and drops what still comes, within the time limit of a request.
function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const cut = () => reject(new ApiError('BAD_REQUEST', 'body: ended too early'));
    // The caller may have gone while the guards asked the database: then no event comes any more.
    if (request.destroyed && !request.readableEnded) return cut();
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) {
        chunks.push(chunk);
        return;
      }
      request.off('data', onData);
      chunks.length = 0;
      reject(tooLarge());
    };
    request.on('data', onData);
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks)));
    request.once('error', cut);
    request.once('close', cut);
  });
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

function tooLarge(): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `body: is above ${MAX_BODY_BYTES} bytes`);
}
