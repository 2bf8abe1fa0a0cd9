import { removeOrphans } from '@batuta/catalog';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { removeOrigin } from './origin.repository';

/**
 * Removes origins whose process was deleted, with everything that belongs to them: those of `processID`, or of all processes.
 * Returns their number.
 */
export function removeOrphanedOrigins(store: Store, processID?: string): Promise<number> {
  return removeOrphans(store, 'origin', (id) => removeOrigin(store, id).catch(ignoreNotFound), processID);
}

/** Another replica has removed the origin in the meantime. */
function ignoreNotFound(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
}
