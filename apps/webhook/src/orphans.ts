import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { removeOrigin } from './origins/removal';

const AT_ONCE = 500;

/** Removes origins of processes that are no more, with all that is theirs: of this process, or of any. */
export async function removeOrphans(store: Store, processID?: string): Promise<number> {
  const ofProcess = processID === undefined ? '' : 'AND o.process_id = ?';
  const orphans = await store.rows<{ origin_id: string }>(
    `SELECT o.origin_id FROM origin o LEFT JOIN process p ON p.process_id = o.process_id
      WHERE p.process_id IS NULL ${ofProcess} LIMIT ${AT_ONCE}`,
    processID === undefined ? [] : [processID],
  );
  for (const { origin_id: id } of orphans) await removeOrigin(store, id).catch(unlessGone);
  return orphans.length;
}

/** Another replica was at it as well. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
}
