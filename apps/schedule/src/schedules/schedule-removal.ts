import { OrphanSweep, removeOrphans } from '@batuta/catalog';
import { deleteInBites, type BiteOptions, type Store } from '@batuta/database';

/**
 * Removes a schedule and then its records. An attempt that begins after the first commit starts nothing, because it needs the row of the
 * schedule. After an interruption the remaining pending firings fail, and retention removes the rest.
 */
export async function removeSchedule(store: Store, id: string, options?: BiteOptions): Promise<void> {
  await store.transaction((tx) => deleteSchedule(tx, id));
  await removeRecords(store, id, options);
}

/** Deletes the row of a schedule alone; `removeRecords` removes its records. */
export async function deleteSchedule(tx: Store, id: string): Promise<void> {
  await tx.write('DELETE FROM schedule WHERE schedule_id = ?', [id]);
}

/** Removes, in bites, the missed times and the firings of a schedule that was removed. */
export async function removeRecords(store: Store, id: string, options?: BiteOptions): Promise<void> {
  await deleteInBites(store, 'DELETE FROM schedule_backlog WHERE schedule_id = ? LIMIT ?', [id], options);
  // The newest firings are deleted first, because the pending ones are among them.
  const firings = 'DELETE FROM schedule_firing WHERE schedule_id = ? ORDER BY nominal_at DESC LIMIT ?';
  await deleteInBites(store, firings, [id], options);
}

/** Removes the schedules of a deleted process, until `isStopping` returns true; returns their number. */
export function removeSchedulesOfDeletedProcess(
  store: Store,
  processID: string,
  isStopping = () => false,
): Promise<number> {
  return removeOrphans(store, 'schedule', (id) => removeSchedule(store, id, { isStopping }), processID, isStopping);
}

/**
 * Creates a sweep that removes the schedules of all deleted processes, until `isStopping` returns true; each call of its `sweep` continues after
 * the last one.
 */
export function createOrphanedScheduleSweep(store: Store, isStopping = () => false): OrphanSweep {
  return new OrphanSweep(store, 'schedule', (id) => removeSchedule(store, id, { isStopping }), isStopping);
}
