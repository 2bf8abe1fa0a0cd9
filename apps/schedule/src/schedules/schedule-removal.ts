import type { Store } from '@batuta/database';

const BATCH_SIZE = 500;

/** Removes a schedule with its pending firings in one transaction, and then its other firings in batches. */
export async function removeSchedule(store: Store, id: string): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.write('DELETE FROM schedule WHERE schedule_id = ?', [id]);
    await tx.write('DELETE FROM schedule_backlog WHERE schedule_id = ?', [id]);
    await tx.write("DELETE FROM schedule_firing WHERE schedule_id = ? AND result = 'pending'", [id]);
  });
  const removeBatch = `DELETE FROM schedule_firing WHERE schedule_id = ? LIMIT ${BATCH_SIZE}`;
  while ((await store.write(removeBatch, [id])).affectedRows === BATCH_SIZE);
}

/** Removes schedules whose process was deleted, of one process or of all; returns their number. */
export async function removeSchedulesOfDeletedProcesses(store: Store, processID?: string): Promise<number> {
  if (processID !== undefined) return removeOrphans(store, await schedulesOf(store, processID));
  let removed = 0;
  for (let page = await schedulesAfter(store, ''); page.length > 0;) {
    removed += await removeOrphans(store, page);
    page = await schedulesAfter(store, page.at(-1)?.schedule_id ?? '');
  }
  return removed;
}

/** A schedule, and whether its process was deleted. */
interface Candidate {
  schedule_id: string;
  orphaned: number;
}

const CANDIDATES = `SELECT s.schedule_id, p.process_id IS NULL AS orphaned
  FROM schedule s LEFT JOIN process p ON p.process_id = s.process_id`;

function schedulesOf(store: Store, processID: string): Promise<Candidate[]> {
  return store.rows<Candidate>(`${CANDIDATES} WHERE s.process_id = ? ORDER BY s.schedule_id LIMIT ${BATCH_SIZE}`, [
    processID,
  ]);
}

/** In pages: no index finds what has no process, and one statement over all schedules grows with them. */
function schedulesAfter(store: Store, id: string): Promise<Candidate[]> {
  return store.rows<Candidate>(`${CANDIDATES} WHERE s.schedule_id > ? ORDER BY s.schedule_id LIMIT ${BATCH_SIZE}`, [
    id,
  ]);
}

async function removeOrphans(store: Store, candidates: Candidate[]): Promise<number> {
  const orphans = candidates.filter(({ orphaned }) => orphaned === 1);
  for (const { schedule_id: id } of orphans) await removeSchedule(store, id);
  return orphans.length;
}
