import { OrphanSweep, removeOrphans } from '@batuta/catalog';
import { deleteInBites, type Store } from '@batuta/database';

/**
 * Removes a schedule and then, in bites, its firings. Nothing starts from the first commit on, because an attempt needs
 * the row of the schedule. After an interruption the remaining pending firings fail, and retention removes the rest.
 * `authorize` locks the schedule for a person's removal and records it; a sweep has none.
 */
export async function removeSchedule(
  store: Store,
  id: string,
  authorize?: (tx: Store) => Promise<void>,
): Promise<void> {
  await store.transaction(async (tx) => {
    await authorize?.(tx);
    await tx.write('DELETE FROM schedule WHERE schedule_id = ?', [id]);
  });
  await deleteInBites(store, 'DELETE FROM schedule_backlog WHERE schedule_id = ? LIMIT ?', [id]);
  // The newest firings are deleted first, because the pending ones are among them.
  await deleteInBites(store, 'DELETE FROM schedule_firing WHERE schedule_id = ? ORDER BY nominal_at DESC LIMIT ?', [
    id,
  ]);
}

/** Removes the schedules of a deleted process; returns their number. */
export function removeSchedulesOfDeletedProcess(store: Store, processID: string): Promise<number> {
  return removeOrphans(store, 'schedule', (id) => removeSchedule(store, id), processID);
}

/** Removes the schedules of all deleted processes, a page of schedules at a time. */
export function sweepOfOrphanedSchedules(store: Store): OrphanSweep {
  return new OrphanSweep(store, 'schedule', (id) => removeSchedule(store, id));
}
