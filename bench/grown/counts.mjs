/**
 * One execution of a statement may read MAX_ROWS_RATIO times the rows in the grown database, and SPARE_ROWS more: for one more level of an index,
 * or entries that are being purged.
 */
const SPARE_ROWS = 20;
const MAX_ROWS_RATIO = 1.2;

/**
 * Counts the rows that `work` reads in both databases, `[empty, grown]`. Returns for each the rows and executions of its statements, and the
 * server's own counter of rows read, which includes other connections, all divided by `times`; and in `more` the statements that read too many
 * rows in the grown database.
 */
export async function countRows(worlds, name, work, times) {
  const counted = [];
  for (const world of worlds) {
    const before = await handlerReads(world.database);
    const statements = await world.log.recordDuring(() => work(world));
    const reads = (await handlerReads(world.database)) - before;
    const rows = [...statements.values()].reduce((sum, statement) => sum + statement.rows, 0);
    counted.push({ statements, reads: reads / times, rows: rows / times, executions: countOf(statements) / times });
  }
  const [empty, grown] = counted;
  const more = [...grown.statements].flatMap(([text, statement]) => {
    const usual = empty.statements.get(text);
    const perExecution = statement.most;
    const least = usual?.most ?? 0;
    return perExecution > least * MAX_ROWS_RATIO + SPARE_ROWS
      ? [{ text, empty: least, grown: perExecution, ...statement }]
      : [];
  });
  const totals = ({ reads, rows, executions }) => ({ reads, rows, executions });
  return { name, empty: totals(empty), grown: totals(grown), more };
}

const countOf = (statements) => [...statements.values()].reduce((sum, { times }) => sum + times, 0);

/** The rows and index entries that the server has requested from its storage engine since it started. */
async function handlerReads(database) {
  const [rows] = await database.query(
    "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Handler_read%' OR Variable_name = 'Handler_icp_attempts'",
  );
  return rows
    .filter(({ Variable_name: name }) => !/tmp|rnd_deleted/.test(name))
    .reduce((sum, { Value }) => sum + Number(Value), 0);
}
