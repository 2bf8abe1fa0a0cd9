import { ApiError } from '@batuta/errors';
import type { IncomingMessage } from 'node:http';

/** Bytes, inclusive (readings 17 and 24). */
export const MAX_BODY_BYTES = 1_048_576;

/** The bytes of a request's body as they were sent. Throws PAYLOAD_TOO_LARGE, or BAD_REQUEST for compressed ones. */
export async function readRawBody(request: IncomingMessage): Promise<Buffer> {
  const { headers } = request;
  if (headers['content-length'] === '0') return Buffer.alloc(0);
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new ApiError('BAD_REQUEST', 'Content-Encoding: send the body uncompressed');
  }
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  return readBytes(request);
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
    request.once('end', () => {
      resolve(chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks));
      // The listeners live for as long as the request, which a waiting caller's may do for minutes.
      chunks.length = 0;
    });
    request.once('error', cut);
    request.once('close', cut);
  });
}

function tooLarge(): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `body: is above ${MAX_BODY_BYTES} bytes`);
}
