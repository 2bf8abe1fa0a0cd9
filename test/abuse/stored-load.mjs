const FIRING_SCHEDULE_COUNT = 150;
const LISTED_SCHEDULE_COUNT = 500;

/**
 * Multiplies the one queued instance of the tricks `queues` and `positions` by SQL: so many starts through the API would last longer than the
 * whole attack. `queued` = the number of copies by trick; `only` = the tricks to prepare, all if undefined.
 */
export async function copyQueued(database, { targets, queued }, only) {
  const fresh = { instance_id: 'UUID()', accepted_at: 'accepted_at + INTERVAL (1 + seq % 100) * 1000 MICROSECOND' };
  for (const [name, count] of Object.entries(queued)) {
    if (only?.includes(name) ?? true) {
      await copyRows(database, { table: 'instance', of: targets[name], count, fresh });
    }
  }
}

/**
 * Copies the schedules of the tricks `firing` and `lists`. A hostile tenant could create as many within the rate limit of
 * their bytes, because it has time; this program has not.
 */
export async function copySchedules(database, { targets: { firing, starts } }) {
  for (const [of, count] of [
    [firing, FIRING_SCHEDULE_COUNT],
    [starts, LISTED_SCHEDULE_COUNT],
  ]) {
    await copyRows(database, { table: 'schedule', of, count: count - 1, fresh: { schedule_id: 'UUID()' } });
  }
}

/** Copies the seven log lines with evidence that the agent has written, until there are 210. */
export async function copyEvidence(database, { targets: { logs } }) {
  await database.query(
    `INSERT INTO instance_log (instance_id, line, logged_at, severity, message, step, evidence)
       SELECT l.instance_id, l.line + 7 * seq, l.logged_at, l.severity, l.message, l.step, l.evidence
         FROM seq_1_to_29, instance_log l JOIN instance USING (instance_id)
        WHERE process_id = ? AND l.evidence IS NOT NULL`,
    [logs.processID],
  );
}

/** Inserts `count` copies of the only row that a process has in the table; `fresh` has the expressions of the columns that differ. */
async function copyRows(database, { table, of, count, fresh }) {
  const [columns] = await database.query(
    `SELECT column_name AS name FROM information_schema.columns
      WHERE table_schema = DATABASE() AND table_name = ? AND COALESCE(generation_expression, '') = ''`,
    [table],
  );
  const names = columns.map(({ name }) => name);
  const values = names.map((name) => fresh[name] ?? name);
  await database.query(
    `INSERT INTO ${table} (${names}) SELECT ${values} FROM ${table}, seq_1_to_${count} WHERE process_id = ?`,
    [of.processID],
  );
}
