import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { lock } from './origin.repository';

/**
 * The origin with both its URLs, its mapping and its captures (contract 5 rule 6), all or nothing; old tokens go as well, so
 * that no URL of it tells any more that there was one. Throws NOT_FOUND.
 */
export async function removeOrigin(store: Store, id: string): Promise<void> {
  await store.transaction(async (tx) => {
    // First, so that no call that is being captured leaves something behind.
    if (!(await lock(tx, id))) throw noSuchOrigin();
    await tx.write('DELETE FROM origin_token WHERE origin_id = ?', [id]);
    await tx.write('DELETE FROM capture WHERE origin_id = ?', [id]);
    await tx.write('DELETE FROM origin WHERE origin_id = ?', [id]);
  });
}

export function noSuchOrigin(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no such webhook origin.');
}
