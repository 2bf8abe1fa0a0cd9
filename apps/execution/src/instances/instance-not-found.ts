import { ApiError } from '@batuta/errors';

/** What the gateway says of a malformed id, too: an id that does not exist and one that the caller may not see answer alike. */
export function instanceNotFound(): ApiError {
  return new ApiError('INSTANCE_NOT_FOUND', 'instanceID: no such instance');
}
