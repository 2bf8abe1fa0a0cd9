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
 * The same refusal for a resource that does not exist, one that the caller may not see, and a malformed id. Only a missing picture has a
 * text of its own, which says whether it may still arrive.
 */
export function notFound(kind: ResourceKind): ApiError {
  return new ApiError('NOT_FOUND', `No such ${kind}.`);
}
