import type { Store } from '@batuta/database';

const AT_ONCE = 500;

/** The schedule goes at once, with what is still pending of it; its records follow in small steps. */
export async function removeSchedule(store: Store, id: string): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.write('DELETE FROM schedule WHERE schedule_id = ?', [id]);
    await tx.write('DELETE FROM schedule_backlog WHERE schedule_id = ?', [id]);
    await tx.write("DELETE FROM schedule_firing WHERE schedule_id = ? AND result = 'pending'", [id]);
  });
  const more = `DELETE FROM schedule_firing WHERE schedule_id = ? LIMIT ${AT_ONCE}`;
  while ((await store.write(more, [id])).affectedRows === AT_ONCE);
}

/** Schedules of processes that are no more: of this one, or of any. */
export async function removeOrphans(store: Store, processID?: string): Promise<number> {
  const ofProcess = processID === undefined ? '' : 'AND s.process_id = ?';
  const orphans = await store.rows<{ schedule_id: string }>(
    `SELECT s.schedule_id FROM schedule s LEFT JOIN process p ON p.process_id = s.process_id
      WHERE p.process_id IS NULL ${ofProcess} LIMIT ${AT_ONCE}`,
    processID === undefined ? [] : [processID],
  );
  for (const { schedule_id: id } of orphans) await removeSchedule(store, id);
  return orphans.length;
}

/** Final records older than so many days, also those whose schedule went while a replica died. */
export async function removeOldFirings(store: Store, days: number): Promise<number> {
  const old = `DELETE FROM schedule_firing WHERE nominal_at < UTC_TIMESTAMP(3) - INTERVAL ? DAY
      AND result <> 'pending' ORDER BY nominal_at LIMIT ${AT_ONCE}`;
  for (let removed = 0; ;) {
    const { affectedRows } = await store.write(old, [days]);
    removed += affectedRows;
    if (affectedRows < AT_ONCE) return removed;
  }
}
