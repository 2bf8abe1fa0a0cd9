import { ApiError } from '@batuta/errors';
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { Gathering } from './gathering';

/** Bytes, inclusive (interpretations 17 and 24). */
export const MAX_BODY_BYTES = 1_048_576;

/** The bytes of a request's body as they were sent. Throws PAYLOAD_TOO_LARGE, or BAD_REQUEST for compressed ones. */
export async function readRawBody(request: IncomingMessage): Promise<Buffer> {
  if (isEmpty(request)) return Buffer.alloc(0);
  if (encodingOf(request) !== 'identity') {
    throw new ApiError('BAD_REQUEST', 'Content-Encoding: send the body uncompressed');
  }
  return readBytes(request);
}

export const isEmpty = ({ headers }: IncomingMessage): boolean => headers['content-length'] === '0';

export const encodingOf = ({ headers }: IncomingMessage): string =>
  (headers['content-encoding'] ?? 'identity').toLowerCase();

/** Whatever bytes the body has. Throws PAYLOAD_TOO_LARGE, or BAD_REQUEST when the sender breaks off. */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const saysSo = Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES;
  const bytes = saysSo ? undefined : await gather(request);
  if (bytes) return bytes;
  await drop(request);
  throw tooLarge();
}

export function tooLarge(): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `body: is above ${MAX_BODY_BYTES} bytes`);
}

/**
 * Nothing that still comes is kept, and the server's time limit ends it. An answer before the end would be lost on a
 * connection that closes with it: the sender, still sending, finds it reset.
 */
async function drop(request: IncomingMessage): Promise<void> {
  request.resume();
  await finished(request, { cleanup: true }).catch(() => undefined);
}

/** Undefined when there are too many. */
function gather(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const gathered = new Gathering();
    // A listener that stayed would keep the bytes for as long as the request, which of a waiting caller may be minutes.
    const stop = () => {
      request.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
    };
    const give = (bytes?: Buffer) => {
      stop();
      resolve(bytes);
    };
    const onData = (chunk: Buffer) => {
      if (gathered.length + chunk.length > MAX_BODY_BYTES) give();
      else gathered.add(chunk);
    };
    const onEnd = () => give(gathered.bytes());
    const onCut = () => {
      stop();
      reject(new ApiError('BAD_REQUEST', 'body: ended too early'));
    };
    // The caller may have gone while the guards asked the database: then no event comes any more.
    if (request.destroyed && !request.readableEnded) return onCut();
    request.on('data', onData).once('end', onEnd).once('error', onCut).once('close', onCut);
  });
}
