const ROWS_PER_STATEMENT = 50_000;

const INSTANCE_COLUMNS = `process_id, process_name, owner_account_id, company_id, environment_id, version_id, version, trigger_kind,
  user_name, executor, request_id, accepted_as, status, outcome, accepted_at, started_at, finished_at, history_at, has_log`;

/** SQL of ids that ascend with `seq`, as the product's ids ascend with time. `kind`, four digits, differs for each fill, so that no ids collide. */
const idOf = (kind) => `CONCAT('01900000-${kind}-7000-8000-', LPAD(HEX(seq), 12, '0'))`;

/** The ids of a process and of its owner, company, environment and version, for rows of `instance`. */
export async function placeOf(database, { owner }, processID) {
  const [[{ environment_id, version_id }]] = await database.query(
    'SELECT environment_id, published_version_id AS version_id FROM process WHERE process_id = ?',
    [processID],
  );
  return { ...owner, process_id: processID, environment_id, version_id };
}

/** Inserts `count` instances that wait in the queue, each with a sealed input that nothing can open. `place` = the result of `placeOf`. */
export async function fillQueue(database, place, count) {
  const id = idOf('0001');
  await inChunks(count, async (rows) => {
    const values = `?, 'Orders', ?, ?, ?, ?, 1, 'api', 'Bench', 'ERP key', 'bench', 'queued', 'queued', NULL,
      UTC_TIMESTAMP(3) - INTERVAL 1 HOUR + INTERVAL seq * 1000 MICROSECOND, NULL, NULL, NULL, 0`;
    await database.query(
      `INSERT INTO instance (instance_id, ${INSTANCE_COLUMNS}) SELECT ${id}, ${values} FROM ${rows}`,
      columnsOf(place),
    );
    await database.query(
      `INSERT INTO instance_input (instance_id, sealed) SELECT ${id}, REPEAT('x', 400) FROM ${rows}`,
    );
  });
}

/** Inserts `count` instances that ended `daysAgo`, one of ten with `lines` log lines; `kind`: see `idOf`. */
export async function fillEnded(database, place, { kind, count, daysAgo = 1, lines = 0 }) {
  const at = `UTC_TIMESTAMP(3) - INTERVAL ${daysAgo} DAY + INTERVAL seq * 1000 MICROSECOND`;
  const hasLog = lines > 0 ? 'seq % 10 = 0' : '0';
  await inChunks(count, async (rows) => {
    const values = `?, 'Orders', ?, ?, ?, ?, 1, 'api', 'Bench', 'ERP key', 'bench', 'queued', 'success', 'SUCCESS',
      ${at}, ${at}, ${at}, ${at}, ${hasLog}`;
    if (lines > 0) {
      await database.query(
        `INSERT INTO instance_log (instance_id, line, logged_at, severity, message, step, evidence)
         SELECT ${idOf(kind)}, line.seq, NOW(3), 'INFO', REPEAT('m', 100), 'Only step', NULL
           FROM (SELECT seq FROM ${rows}) i JOIN seq_1_to_${lines} line WHERE i.seq % 10 = 0`.replace(
          idOf(kind),
          idOf(kind).replace('seq', 'i.seq'),
        ),
      );
    }
    await database.query(
      `INSERT INTO instance (instance_id, ${INSTANCE_COLUMNS}) SELECT ${idOf(kind)}, ${values} FROM ${rows}`,
      columnsOf(place),
    );
  });
}

/** Inserts `count` idempotency keys that are two days old, so that retention deletes them. */
export async function fillIdempotencyKeys(database, count) {
  await inChunks(count, (rows) =>
    database.query(
      `INSERT INTO idempotency_key (key_hash, instance_id, status, body_hash, created_at)
       SELECT UNHEX(SHA2(seq, 256)), ${idOf('0009')}, 'queued', UNHEX(SHA2(seq, 256)), UTC_TIMESTAMP(3) - INTERVAL 2 DAY
         FROM ${rows}`,
    ),
  );
}

function columnsOf({ process_id, account_id, company_id, environment_id, version_id }) {
  return [process_id, account_id, company_id, environment_id, version_id];
}

/** Calls `insert` with tables of numbers (of the engine Sequence) that together have 1 to `count`, each at most ROWS_PER_STATEMENT. */
async function inChunks(count, insert) {
  for (let from = 1; from <= count; from += ROWS_PER_STATEMENT)
    await insert(`seq_${from}_to_${Math.min(from + ROWS_PER_STATEMENT - 1, count)}`);
}
