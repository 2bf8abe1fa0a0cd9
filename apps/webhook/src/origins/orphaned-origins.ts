import { OrphanSweep, removeOrphans } from '@batuta/catalog';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { removeOrigin } from './origin.repository';

/** Removes the origins of the process, if it was deleted, with everything that belongs to them; returns their number. */
export function removeOrphanedOrigins(store: Store, processID: string): Promise<number> {
  return removeOrphans(store, 'origin', (id) => removeOrigin(store, id).catch(ignoreNotFound), processID);
}

/** Makes the sweep that removes the origins of all deleted processes; each run reads one page of origins. */
export function createOrphanedOriginSweep(store: Store): OrphanSweep {
  return new OrphanSweep(store, 'origin', (id) => removeOrigin(store, id).catch(ignoreNotFound));
}

/** Ignores that an origin is not found, because another replica has removed the origin in the meantime. */
function ignoreNotFound(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
}
