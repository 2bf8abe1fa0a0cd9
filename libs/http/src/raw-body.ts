import { ApiError } from '@batuta/errors';
import type { IncomingMessage } from 'node:http';
import { Gathering } from './gathering';

/** Bytes, inclusive (readings 17 and 24). */
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

/**
 * Whatever bytes the body has. Throws PAYLOAD_TOO_LARGE, or BAD_REQUEST when the sender breaks off. Refused bodies are not
 * kept; the server reads and drops what still comes, within the time limit of a request.
 */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  return gather(request);
}

export function tooLarge(): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `body: is above ${MAX_BODY_BYTES} bytes`);
}

function gather(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const gathered = new Gathering();
    // A listener that stayed would keep the bytes for as long as the request, which of a waiting caller may be minutes.
    const stop = () => {
      request.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
    };
    const refuse = (error: ApiError) => {
      stop();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      if (gathered.length + chunk.length > MAX_BODY_BYTES) refuse(tooLarge());
      else gathered.add(chunk);
    };
    const onEnd = () => {
      stop();
      resolve(gathered.bytes());
    };
    const onCut = () => refuse(new ApiError('BAD_REQUEST', 'body: ended too early'));
    // The caller may have gone while the guards asked the database: then no event comes any more.
    if (request.destroyed && !request.readableEnded) return onCut();
    request.on('data', onData).once('end', onEnd).once('error', onCut).once('close', onCut);
  });
}
