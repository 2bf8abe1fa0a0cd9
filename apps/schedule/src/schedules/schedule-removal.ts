import { removeOrphans } from '@batuta/catalog';
import { deleteInBites, type Store } from '@batuta/database';

/**
 * Removes a schedule and then, in bites, its firings. Nothing starts from the first commit on, because an attempt needs the row
 * of the schedule. What an interruption leaves: its pending firings fail, and retention removes them with the others.
 */
export async function removeSchedule(store: Store, id: string): Promise<void> {
  await store.write('DELETE FROM schedule WHERE schedule_id = ?', [id]);
  await deleteInBites(store, 'DELETE FROM schedule_backlog WHERE schedule_id = ? LIMIT ?', [id]);
  // The newest first, which are the pending ones.
  await deleteInBites(store, 'DELETE FROM schedule_firing WHERE schedule_id = ? ORDER BY nominal_at DESC LIMIT ?', [
    id,
  ]);
}

/** Removes schedules whose process was deleted, of one process or of all; returns their number. */
export function removeSchedulesOfDeletedProcesses(store: Store, processID?: string): Promise<number> {
  return removeOrphans(store, 'schedule', (id) => removeSchedule(store, id), processID);
}
