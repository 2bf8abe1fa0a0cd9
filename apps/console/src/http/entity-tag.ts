import { ApiError } from '@batuta/errors';
import { createHash } from 'node:crypto';

const TAG_CHARACTERS = 22;

/** The strong entity tag of a stored text. It is a hash of the text, so every replica computes the same one. */
export function entityTag(stored: string): string {
  const hash = createHash('sha256').update(stored).digest('base64url');
  return `"${hash.slice(0, TAG_CHARACTERS)}"`;
}

/**
 * Throws PRECONDITION_FAILED unless `ifMatch`, the header `If-Match`, is absent, is `*`, or lists the tag of the stored
 * text. The prefix `W/` is ignored, because proxies that compress an answer put it before its tag.
 */
export function requireMatch(ifMatch: string | undefined, stored: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tag = entityTag(stored);
  const isNamed = ifMatch.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
  if (isNamed) return;
  throw new ApiError(
    'PRECONDITION_FAILED',
    'If-Match: it was changed since it was read; read it again, and save with the new ETag.',
  );
}
