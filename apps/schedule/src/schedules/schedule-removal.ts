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
  const ofProcess = processID === undefined ? '' : 'AND s.process_id = ?';
  const orphans = await store.rows<{ schedule_id: string }>(
    `SELECT s.schedule_id FROM schedule s LEFT JOIN process p ON p.process_id = s.process_id
      WHERE p.process_id IS NULL ${ofProcess} LIMIT ${BATCH_SIZE}`,
    processID === undefined ? [] : [processID],
  );
  for (const { schedule_id: id } of orphans) await removeSchedule(store, id);
  return orphans.length;
}
