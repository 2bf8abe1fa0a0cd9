import { readID } from '@batuta/auth';
import { ApiError } from '@batuta/errors';

/** An id of another form is an instance that does not exist: INSTANCE_NOT_FOUND. */
export function readInstanceID(text: string): string {
  const instanceID = readID(text);
  if (instanceID === undefined) throw new ApiError('INSTANCE_NOT_FOUND', 'instanceID: no such instance');
  return instanceID;
}
