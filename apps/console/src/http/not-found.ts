import { ApiError } from '@batuta/errors';

/** Kinds of resources of the management API whose absence has no error code of its own. */
export const RESOURCE_KINDS = [
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
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/**
 * Makes the error to throw: the same for a resource that does not exist, for one that the caller may not see, and for a malformed id. Only for a
 * missing picture execution makes another NOT_FOUND, whose text says whether the picture may still arrive.
 */
export function notFound(kind: ResourceKind): ApiError {
  return new ApiError('NOT_FOUND', `No such ${kind}.`);
}
