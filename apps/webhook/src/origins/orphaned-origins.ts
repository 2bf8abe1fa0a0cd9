import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { removeOrigin } from './origin.repository';

const BATCH_SIZE = 500;

/**
 * Removes origins whose process was deleted, with everything that belongs to them: those of `processID`, or of all processes.
 * Returns their number.
 */
export async function removeOrphanedOrigins(store: Store, processID?: string): Promise<number> {
  if (processID !== undefined) return removeOrphans(store, await originsOf(store, processID));
  let removed = 0;
  for (let page = await originsAfter(store, ''); page.length > 0;) {
    removed += await removeOrphans(store, page);
    page = await originsAfter(store, page.at(-1)?.origin_id ?? '');
  }
  return removed;
}

/** An origin, and whether its process was deleted. */
interface Candidate {
  origin_id: string;
  orphaned: number;
}

const CANDIDATES = `SELECT o.origin_id, p.process_id IS NULL AS orphaned
  FROM origin o LEFT JOIN process p ON p.process_id = o.process_id`;

function originsOf(store: Store, processID: string): Promise<Candidate[]> {
  return store.rows<Candidate>(`${CANDIDATES} WHERE o.process_id = ? ORDER BY o.origin_id LIMIT ${BATCH_SIZE}`, [
    processID,
  ]);
}

/** In pages: no index finds what has no process, and one statement over all origins grows with them. */
function originsAfter(store: Store, id: string): Promise<Candidate[]> {
  return store.rows<Candidate>(`${CANDIDATES} WHERE o.origin_id > ? ORDER BY o.origin_id LIMIT ${BATCH_SIZE}`, [id]);
}

async function removeOrphans(store: Store, candidates: Candidate[]): Promise<number> {
  const orphans = candidates.filter(({ orphaned }) => orphaned === 1);
  for (const { origin_id: id } of orphans) await removeOrigin(store, id).catch(ignoreNotFound);
  return orphans.length;
}

/** Another replica has removed the origin in the meantime. */
function ignoreNotFound(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
}
