import type { Store } from '@batuta/database';

/** A process whose instances an account sees: all of them, or only those that `starterID` started (interpretation 13). */
export interface VisibleProcess {
  processID: string;
  starterID: string | null;
}

interface VisibleProcessRow {
  process_id: string;
  starter_id: string | null;
  newest: Date;
}

/** The position of an instance in a list, newest first. */
export interface RunPosition {
  acceptedAt: Date;
  instanceID: string;
}

// These subqueries have no condition on the time: with one, MariaDB does not use the index inside a subquery, and reads
// every instance of the process.
const NEWEST_OF_OWN = `SELECT i.accepted_at FROM instance i FORCE INDEX (instance_process) WHERE i.process_id = p.process_id
  ORDER BY i.accepted_at DESC LIMIT 1`;
const NEWEST_OF_SHARE = `SELECT i.accepted_at FROM instance i FORCE INDEX (instance_starter) WHERE i.process_id = s.process_id
  AND i.starter_account_id = s.account_id ORDER BY i.accepted_at DESC LIMIT 1`;

const MAX_PROCESSES_PER_STATEMENT = 500;

interface VisibleProcessWithTime extends VisibleProcess {
  /** Time of acceptance of the newest instance that the account sees. */
  newest: Date;
}

/**
 * At most `limit` processes whose instances an account sees: those with the newest instances between `from` and `to`.
 * They contain the newest `limit` instances of all of them, so that the caller reads no other process. Reads one index
 * entry per process; with more than `limit` processes also a second one for each that has instances after `to`.
 */
export async function newestVisibleProcesses(
  store: Store,
  { accountID, processID }: { accountID: string; processID?: string },
  { from, to, limit }: { from: Date; to: Date; limit: number },
): Promise<VisibleProcess[]> {
  const [ownOne, sharedOne] = processID === undefined ? ['', ''] : ['AND p.process_id = ?', 'AND s.process_id = ?'];
  const one = processID === undefined ? [] : [processID];
  const rows = await store.rows<VisibleProcessRow>(
    `SELECT process_id, starter_id, newest FROM (
       SELECT p.process_id, NULL AS starter_id, (${NEWEST_OF_OWN}) AS newest FROM process p WHERE p.account_id = ? ${ownOne}
       UNION ALL
       SELECT s.process_id, s.account_id, (${NEWEST_OF_SHARE}) FROM process_share s WHERE s.account_id = ? ${sharedOne}
     ) visible WHERE newest >= ? ORDER BY newest DESC`,
    [accountID, ...one, accountID, ...one, from],
  );
  const processes = rows.map((row) => ({ processID: row.process_id, starterID: row.starter_id, newest: row.newest }));
  if (processes.length <= limit) return processes;
  const later = processes.filter(({ newest }) => newest > to);
  const dated = [...(await newestBetween(store, later, { from, to })), ...processes.slice(later.length)];
  return dated.toSorted((a, b) => b.newest.getTime() - a.newest.getTime()).slice(0, limit);
}

/** The processes that have instances between `from` and `to`, each with the time of the newest of these. */
async function newestBetween(
  store: Store,
  processes: VisibleProcessWithTime[],
  { from, to }: { from: Date; to: Date },
): Promise<VisibleProcessWithTime[]> {
  const found: VisibleProcessWithTime[] = [];
  for (let start = 0; start < processes.length; start += MAX_PROCESSES_PER_STATEMENT) {
    const some = processes.slice(start, start + MAX_PROCESSES_PER_STATEMENT);
    const parts = some.map(
      (
        { starterID },
        index,
      ) => `(SELECT ${index} AS place, accepted_at FROM instance FORCE INDEX (${indexOf(starterID)})
        WHERE process_id = ? ${starterID === null ? '' : 'AND starter_account_id = ?'} AND accepted_at BETWEEN ? AND ?
        ORDER BY accepted_at DESC LIMIT 1)`,
    );
    const rows = await store.rows<{ place: number; accepted_at: Date }>(
      parts.join(' UNION ALL '),
      some.flatMap(({ processID, starterID }) => [processID, ...(starterID === null ? [] : [starterID]), from, to]),
    );
    for (const { place, accepted_at: newest } of rows) {
      const visible = some[place];
      if (visible) found.push({ ...visible, newest });
    }
  }
  return found;
}

const indexOf = (starterID: string | null) => (starterID === null ? 'instance_process' : 'instance_starter');

/**
 * The newest `limit` instances of the processes from `from` on and before a position. Each process is read by the index
 * for all of its instances, or by the one for those of a starter.
 */
export function newestRuns(
  store: Store,
  processes: VisibleProcess[],
  { from, before, limit }: { from: Date; before: RunPosition; limit: number },
): Promise<{ instance_id: string; accepted_at: Date }[]> {
  const { acceptedAt, instanceID } = before;
  const parts = processes.map(({ starterID }) => {
    const starter = starterID === null ? '' : 'AND starter_account_id = ?';
    return `(SELECT instance_id, accepted_at FROM instance FORCE INDEX (${indexOf(starterID)}) WHERE process_id = ? ${starter}
      AND accepted_at BETWEEN ? AND ? AND (accepted_at, instance_id) < (?, ?)
      ORDER BY accepted_at DESC, instance_id DESC LIMIT ?)`;
  });
  const parameters = processes.flatMap(({ processID, starterID }) => [
    processID,
    ...(starterID === null ? [] : [starterID]),
    from,
    acceptedAt,
    acceptedAt,
    instanceID,
    limit,
  ]);
  return store.rows(`${parts.join(' UNION ALL ')} ORDER BY accepted_at DESC, instance_id DESC LIMIT ?`, [
    ...parameters,
    limit,
  ]);
}

/**
 * The ids of at most `limit` instances without `history_at` that an account sees, of all its processes or of one: all active
 * ones, and ended debug runs, which the history leaves out. Reads one index entry per process.
 */
export async function instancesOutsideHistory(
  store: Store,
  { accountID, processID }: { accountID: string; processID?: string },
  limit: number,
): Promise<string[]> {
  const [ownOne, sharedOne] = processID === undefined ? ['', ''] : ['AND p.process_id = ?', 'AND s.process_id = ?'];
  const parameters = [accountID, ...(processID === undefined ? [] : [processID]), limit];
  const rows = await store.rows<{ instance_id: string }>(
    `(SELECT i.instance_id FROM process p STRAIGHT_JOIN instance i FORCE INDEX (instance_history)
         ON i.process_id = p.process_id AND i.history_at IS NULL WHERE p.account_id = ? ${ownOne} LIMIT ?)
     UNION
     (SELECT i.instance_id FROM process_share s STRAIGHT_JOIN instance i FORCE INDEX (instance_history)
         ON i.process_id = s.process_id AND i.history_at IS NULL AND i.starter_account_id = s.account_id
       WHERE s.account_id = ? ${sharedOne} LIMIT ?)
     LIMIT ?`,
    [...parameters, ...parameters, limit],
  );
  return rows.map((row) => row.instance_id);
}
