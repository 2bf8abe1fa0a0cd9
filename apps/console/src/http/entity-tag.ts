import { ApiError } from '@batuta/errors';
import { createHash } from 'node:crypto';

/** Length of each hash in a tag: 132 bits in base64url. */
const TAG_CHARACTERS = 22;

/** The second part of a tag, the hash of what the answer has beside the stored text. */
const COMPUTED_PART = /\.[\w-]+"$/;

/**
 * The strong entity tag of an answer with a stored text, and with `computed`, which may change while the text does not. It is made of
 * hashes, so every replica computes the same one.
 */
export function entityTag(stored: string, computed?: object): string {
  const parts = [stored, ...(computed === undefined ? [] : [JSON.stringify(computed)])];
  return `"${parts.map(hashOf).join('.')}"`;
}

/**
 * Throws PRECONDITION_FAILED unless `ifMatch`, the header `If-Match`, is absent, is `*`, or lists the tag of the stored
 * text, whatever was computed. The prefix `W/` is ignored, because proxies that compress an answer put it before its tag.
 */
export function requireMatch(ifMatch: string | undefined, stored: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tag = entityTag(stored);
  const isNamed = ifMatch.split(',').some((one) => one.trim().replace(/^W\//, '').replace(COMPUTED_PART, '"') === tag);
  if (isNamed) return;
  throw new ApiError(
    'PRECONDITION_FAILED',
    'If-Match: it was changed since it was read; read it again, and save with the new ETag.',
  );
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, TAG_CHARACTERS);
}
