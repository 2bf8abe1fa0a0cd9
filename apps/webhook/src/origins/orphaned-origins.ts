import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { removeOrigin } from './origin.repository';

const BATCH_SIZE = 500;

/**
 * Removes one batch of origins whose process was deleted, with everything that belongs to them: those of `processID`, or of
 * any process. Returns the size of the batch.
 */
export async function removeOrphanedOrigins(store: Store, processID?: string): Promise<number> {
  const ofProcess = processID === undefined ? '' : 'AND o.process_id = ?';
  const orphans = await store.rows<{ origin_id: string }>(
    `SELECT o.origin_id FROM origin o LEFT JOIN process p ON p.process_id = o.process_id
      WHERE p.process_id IS NULL ${ofProcess} LIMIT ${BATCH_SIZE}`,
    processID === undefined ? [] : [processID],
  );
  for (const { origin_id: id } of orphans) await removeOrigin(store, id).catch(ignoreNotFound);
  return orphans.length;
}

/** Another replica has removed the origin in the meantime. */
function ignoreNotFound(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
}
