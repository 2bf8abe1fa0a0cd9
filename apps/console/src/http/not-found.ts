import { ApiError } from '@batuta/errors';

/** Things of the management API whose absence has no error code of its own. */
export const THINGS = [
  'account',
  'capture',
  'company',
  'credential',
  'environment',
  'event subscription',
  'instance',
  'picture',
  'plan',
  'process key',
  'webhook origin',
] as const;
export type Thing = (typeof THINGS)[number];

/**
 * The same refusal for a thing that does not exist, one that the caller may not see, and a malformed id. Only a missing picture has a
 * text of its own, which says whether it may still arrive.
 */
export function notFound(thing: Thing): ApiError {
  return new ApiError('NOT_FOUND', `No such ${thing}.`);
}
