import { ApiError } from '@batuta/errors';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import {
  contentEncodingOf,
  declaresEmptyBody,
  MAX_BODY_BYTES,
  readBytes,
  readRawBody,
  payloadTooLarge,
} from './raw-body';

const DECOMPRESSORS = new Map([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/**
 * Like `readRawBody`, and decompresses a body in gzip, deflate or br. Throws PAYLOAD_TOO_LARGE when the body exceeds
 * MAX_BODY_BYTES before or after decompression, and BAD_REQUEST for other encodings and invalid compressed bytes.
 */
export async function readInflatedBody(request: IncomingMessage): Promise<Buffer> {
  const encoding = contentEncodingOf(request);
  if (declaresEmptyBody(request) || encoding === 'identity') return readRawBody(request);
  const unpack = DECOMPRESSORS.get(encoding);
  if (!unpack)
    throw new ApiError('BAD_REQUEST', `Content-Encoding: must be one of ${[...DECOMPRESSORS.keys()].join(', ')}`);
  const bytes = await readBytes(request);
  if (bytes.length === 0) return bytes;
  try {
    return await unpack(bytes, { maxOutputLength: MAX_BODY_BYTES });
  } catch (error) {
    if (Object(error).code === 'ERR_BUFFER_TOO_LARGE') throw payloadTooLarge();
    throw new ApiError('BAD_REQUEST', `body: is not valid ${encoding}`);
  }
}
