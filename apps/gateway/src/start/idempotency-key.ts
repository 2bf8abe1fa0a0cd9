import { ApiError } from '@batuta/errors';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { requestOf } from '../http/request';

/** Spaces around the value of a header are not part of it; spaces inside are (interpretation 21b). */
const KEY_PATTERN = /^(?! )[\x20-\x7e]{1,255}(?<! )$/;

/**
 * The `Idempotency-Key` header; undefined when it was not sent. Throws BAD_REQUEST for a malformed one, and for a header that was sent more
 * than once, because Node joins the values to another key (interpretations 21 and 21b).
 */
export function readIdempotencyKey({
  headers,
  rawHeaders,
}: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  // Names and values alternate in `rawHeaders`.
  const sent = rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'idempotency-key');
  if (sent.length > 1) throw new ApiError('BAD_REQUEST', 'Idempotency-Key: is sent more than once');
  if (typeof header === 'string' && KEY_PATTERN.test(header)) return header;
  throw new ApiError('BAD_REQUEST', 'Idempotency-Key: must be 1 to 255 printable ASCII characters');
}

/**
 * The Idempotency-Key of a start. A dry run has none, but refuses a malformed one as the start would. Nest extracts decorated parameters
 * before it runs pipes, so a malformed key is refused before a malformed field of the body. With a malformed `dryRun` the key is not read,
 * so that the pipes can refuse `dryRun` first.
 */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const request = requestOf(context);
  const { dryRun = 'false' } = request.query;
  if (dryRun !== 'false' && dryRun !== 'true') return undefined;
  const key = readIdempotencyKey(request);
  return dryRun === 'false' ? key : undefined;
});
