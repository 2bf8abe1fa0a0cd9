import { ApiError } from '@batuta/errors';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { requestOf } from '../http/request';

/** Spaces around the value of a header are not part of it; spaces inside are (interpretation 21b). */
const KEY_PATTERN = /^(?! )[\x20-\x7e]{1,255}(?<! )$/;

/** The `Idempotency-Key` header; undefined when it was not sent. Throws BAD_REQUEST for a malformed one (interpretations 21 and 21b). */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && KEY_PATTERN.test(header)) return header;
  throw new ApiError('BAD_REQUEST', 'Idempotency-Key: must be 1 to 255 printable ASCII characters');
}

/**
 * The Idempotency-Key of a start. A dry run has none, but refuses a malformed one as the start would. Nest extracts decorated parameters
 * before it runs pipes, so a malformed key is refused before a field of the body, and a malformed `dryRun`, for which the pipes wait,
 * must be left to them.
 */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const { headers, query } = requestOf(context);
  const { dryRun = 'false' } = query;
  if (dryRun !== 'false' && dryRun !== 'true') return undefined;
  const key = readIdempotencyKey(headers['idempotency-key']);
  return dryRun === 'false' ? key : undefined;
});
