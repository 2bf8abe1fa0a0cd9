import { ApiError } from '@batuta/errors';
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { ByteBuffer } from './byte-buffer';

/** Maximum size of a body in bytes (interpretations 17 and 24). */
export const MAX_BODY_BYTES = 1_048_576;

export interface BodyLimit {
  maxBytes: number;
  /** Whether the rest of a larger body is read before the refusal; otherwise the connection closes with the refusal. */
  readRest: boolean;
}

const DEFAULT_BODY_LIMIT: BodyLimit = { maxBytes: MAX_BODY_BYTES, readRest: true };

/** The bytes of a request's body, unchanged. Throws PAYLOAD_TOO_LARGE, or BAD_REQUEST for a compressed or incomplete body. */
export async function readRawBody(request: IncomingMessage, limit = DEFAULT_BODY_LIMIT): Promise<Buffer> {
  if (declaresEmptyBody(request)) return Buffer.alloc(0);
  if (contentEncodingOf(request) !== 'identity') {
    throw new ApiError('BAD_REQUEST', 'Content-Encoding: send the body uncompressed');
  }
  return readBytes(request, limit);
}

export const declaresEmptyBody = ({ headers }: IncomingMessage): boolean => headers['content-length'] === '0';

export const contentEncodingOf = ({ headers }: IncomingMessage): string =>
  (headers['content-encoding'] ?? 'identity').toLowerCase();

/** Reads the bytes of a body in any encoding. Throws PAYLOAD_TOO_LARGE, or BAD_REQUEST when the client aborts. */
export async function readBytes(request: IncomingMessage, limit = DEFAULT_BODY_LIMIT): Promise<Buffer> {
  const { maxBytes, readRest } = limit;
  const declaredTooLarge = Number(request.headers['content-length'] ?? 0) > maxBytes;
  const bytes = declaredTooLarge ? undefined : await collectBytes(request, maxBytes);
  if (bytes) return bytes;
  if (readRest) await discardRest(request);
  throw payloadTooLarge(maxBytes);
}

export function payloadTooLarge(maxBytes = MAX_BODY_BYTES): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `body: is above ${maxBytes} bytes`);
}

/**
 * Reads the rest of a body without keeping it, at most until the server's time limit. Without this the answer could be lost: the connection of
 * a client that still sends may be reset before the client reads the answer.
 */
async function discardRest(request: IncomingMessage): Promise<void> {
  request.resume();
  await finished(request, { cleanup: true }).catch(() => undefined);
}

/** The bytes of a body; undefined when there are more than `maxBytes`. */
function collectBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const buffer = new ByteBuffer();
    // A listener that is not removed would keep the bytes in memory until the request ends, minutes later for a waiting caller.
    const stop = () => {
      request.off('data', onData).off('end', onEnd).off('error', onAbort).off('close', onAbort);
    };
    const finish = (bytes?: Buffer) => {
      stop();
      resolve(bytes);
    };
    const onData = (chunk: Buffer) => {
      if (buffer.length + chunk.length > maxBytes) {
        request.pause();
        finish();
      } else buffer.add(chunk);
    };
    const onEnd = () => finish(buffer.bytes());
    const onAbort = () => {
      stop();
      reject(new ApiError('BAD_REQUEST', 'body: ended too early'));
    };
    // The client may have disconnected while the guards queried the database; then no event follows.
    if (request.destroyed && !request.readableEnded) return onAbort();
    request.on('data', onData).once('end', onEnd).once('error', onAbort).once('close', onAbort);
  });
}
