import type { Store } from '@batuta/database';

/** Rows of one batch: small, so that nobody waits for its locks. */
const BATCH = 500;
/** Batches of one round: what is left waits for the next, and shows in the metric. */
const ROUNDS = 20;
const KEY_HOURS = 24;

/** What one round cut, and how many seconds the oldest row that should be gone is overdue. */
export interface Cut {
  rows: number;
  behindSeconds: number;
}

export const NOTHING_CUT: Cut = { rows: 0, behindSeconds: 0 };

/** Idempotency keys are worth nothing after 24 hours (contract 8). */
export async function cutKeys(store: Store): Promise<Cut> {
  const rows = await inBatches(async () => {
    const { affectedRows } = await store.write(
      'DELETE FROM idempotency_key WHERE created_at <= UTC_TIMESTAMP(3) - INTERVAL ? HOUR ORDER BY created_at LIMIT ?',
      [KEY_HOURS, BATCH],
    );
    return affectedRows;
  });
  const left = await store.row<{ behind: number | null }>(
    'SELECT TIMESTAMPDIFF(SECOND, MIN(created_at) + INTERVAL ? HOUR, UTC_TIMESTAMP(3)) AS behind FROM idempotency_key',
    [KEY_HOURS],
  );
  return { rows, behindSeconds: Math.max(0, left?.behind ?? 0) };
}

/** Instances that ended more than `days` ago, with their answers. Ledger and audit trail stay. */
export async function cutInstances(store: Store, days: number): Promise<Cut> {
  const rows = await inBatches(() =>
    store.transaction(async (tx) => {
      const ended = await tx.rows<{ instance_id: string }>(
        `SELECT instance_id FROM instance FORCE INDEX (instance_finished)
          WHERE finished_at < UTC_TIMESTAMP(3) - INTERVAL ? DAY AND has_log = 0
          ORDER BY finished_at LIMIT ? FOR UPDATE SKIP LOCKED`,
        [days, BATCH],
      );
      if (ended.length === 0) return 0;
      const instanceIDs = ended.map((row) => row.instance_id);
      await tx.write('DELETE FROM instance_answer WHERE instance_id IN (?)', [instanceIDs]);
      await tx.write('DELETE FROM instance WHERE instance_id IN (?)', [instanceIDs]);
      return ended.length;
    }),
  );
  const left = await store.row<{ behind: number | null }>(
    'SELECT TIMESTAMPDIFF(SECOND, MIN(finished_at) + INTERVAL ? DAY, UTC_TIMESTAMP(3)) AS behind FROM instance',
    [days],
  );
  return { rows, behindSeconds: Math.max(0, left?.behind ?? 0) };
}

/** Log lines of instances that ended longer ago than the plan of their company keeps them, or than instances are kept. */
export async function cutLogs(store: Store, mostDays: number): Promise<Cut> {
  const companies = await store.rows<{ company_id: string; days: number }>(
    `SELECT c.company_id, LEAST(p.log_retention_days, ?) AS days FROM company c JOIN plan p ON p.plan_id = c.plan_id`,
    [mostDays],
  );
  let cut = NOTHING_CUT;
  for (const { company_id, days } of companies) {
    const one = await cutLogsOf(store, company_id, days);
    cut = { rows: cut.rows + one.rows, behindSeconds: Math.max(cut.behindSeconds, one.behindSeconds) };
  }
  return cut;
}

async function cutLogsOf(store: Store, companyID: string, days: number): Promise<Cut> {
  let overdue: { instance_id: string; behind: number }[] = [];
  let rows = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    overdue = await store.rows(
      `SELECT instance_id, TIMESTAMPDIFF(SECOND, finished_at + INTERVAL ? DAY, UTC_TIMESTAMP(3)) AS behind FROM instance
        WHERE company_id = ? AND has_log = 1 AND finished_at < UTC_TIMESTAMP(3) - INTERVAL ? DAY
        ORDER BY finished_at LIMIT ?`,
      [days, companyID, days, BATCH],
    );
    if (overdue.length === 0) return { rows, behindSeconds: 0 };
    for (const { instance_id } of overdue) rows += await cutLinesOf(store, instance_id);
  }
  return { rows, behindSeconds: overdue[0]?.behind ?? 0 };
}

/** The mark goes last: a stop in between only means that the rest is cut in the next round. */
async function cutLinesOf(store: Store, instanceID: string): Promise<number> {
  let rows = 0;
  for (let cut = BATCH; cut === BATCH; rows += cut) {
    ({ affectedRows: cut } = await store.write('DELETE FROM instance_log WHERE instance_id = ? ORDER BY line LIMIT ?', [
      instanceID,
      BATCH,
    ]));
  }
  await store.write('UPDATE instance SET has_log = 0 WHERE instance_id = ?', [instanceID]);
  return rows;
}

async function inBatches(cutSome: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const cut = await cutSome();
    total += cut;
    if (cut < BATCH) break;
  }
  return total;
}
