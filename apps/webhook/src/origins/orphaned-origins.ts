import { OrphanSweep, removeOrphans } from '@batuta/catalog';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { removeOrigin } from './origin.repository';

/** Removes the origins of a deleted process, with everything that belongs to them; returns their number. */
export function removeOrphanedOrigins(store: Store, processID: string): Promise<number> {
  return removeOrphans(store, 'origin', (id) => removeOrigin(store, id).catch(ignoreNotFound), processID);
}

/** Removes the origins of all deleted processes, a page of origins at a time. */
export function sweepOfOrphanedOrigins(store: Store): OrphanSweep {
  return new OrphanSweep(store, 'origin', (id) => removeOrigin(store, id).catch(ignoreNotFound));
}

/** Ignores that an origin is not found: another replica has removed it in the meantime. */
function ignoreNotFound(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
}
