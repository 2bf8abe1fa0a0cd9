import type { TriggerKind } from '@batuta/contracts';
import type { Store } from '@batuta/database';

/**
 * The columns of the index `instance_filter` between process and time: the instances of one process that have equal values here are one range of it,
 * newest last.
 */
export interface RunKind {
  trigger: TriggerKind;
  /** Whether the status is one of FAILED_STATUSES (error, terminated); false also for a run that has not ended. */
  failed: boolean;
}

/**
 * Instances of a process that an account sees: all of them, those of one kind, or only those that `starterID` started (interpretation
 * 13).
 */
export interface VisibleRuns {
  processID: string;
  starterID: string | null;
  kind?: RunKind;
}

interface VisibleRunsRow {
  process_id: string;
  starter_id: string | null;
  /** Index in the parameter `kinds`; without meaning for a share. */
  kind: number;
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
const NEWEST_OF_KIND = `SELECT i.accepted_at FROM instance i FORCE INDEX (instance_filter) WHERE i.process_id = p.process_id
  AND i.trigger_kind = ? AND i.failed = ? ORDER BY i.accepted_at DESC LIMIT 1`;
const NEWEST_OF_SHARE = `SELECT i.accepted_at FROM instance i FORCE INDEX (instance_starter) WHERE i.process_id = s.process_id
  AND i.starter_account_id = s.account_id ORDER BY i.accepted_at DESC LIMIT 1`;

const MAX_RANGES_PER_STATEMENT = 500;

export interface VisibleRunsWithTime extends VisibleRuns {
  /** Time of acceptance of the newest of these instances. */
  newest: Date;
}

/**
 * The processes whose instances an account sees, those with the newest instances first, without those that have none from `from` on.
 * With `kinds`, an own process appears once for each kind of which it has instances. Reads one index entry for each.
 */
export async function visibleRuns(
  store: Store,
  { accountID, processID, kinds }: { accountID: string; processID?: string; kinds?: RunKind[] },
  from: Date,
): Promise<VisibleRunsWithTime[]> {
  const [ownOne, sharedOne] = processID === undefined ? ['', ''] : ['AND p.process_id = ?', 'AND s.process_id = ?'];
  const account = [accountID, ...(processID === undefined ? [] : [processID])];
  const own = (kind: number, newest: string) =>
    `SELECT p.process_id, NULL AS starter_id, ${kind} AS kind, (${newest}) AS newest FROM process p WHERE p.account_id = ? ${ownOne}`;
  const parts = kinds?.map((_, index) => own(index, NEWEST_OF_KIND)) ?? [own(0, NEWEST_OF_OWN)];
  const ownParameters = kinds?.flatMap(({ trigger, failed }) => [trigger, failed, ...account]) ?? account;
  const rows = await store.rows<VisibleRunsRow>(
    `SELECT process_id, starter_id, kind, newest FROM (
       ${parts.join(' UNION ALL ')}
       UNION ALL
       SELECT s.process_id, s.account_id, 0, (${NEWEST_OF_SHARE}) FROM process_share s WHERE s.account_id = ? ${sharedOne}
     ) visible WHERE newest >= ? ORDER BY newest DESC`,
    [...ownParameters, ...account, from],
  );
  return rows.map((row) => ({
    processID: row.process_id,
    starterID: row.starter_id,
    kind: row.starter_id === null ? kinds?.[row.kind] : undefined,
    newest: row.newest,
  }));
}

/**
 * Those of the visible runs that contain the newest `limit` instances from `from` on and before a position, so that the caller reads no other.
 * They are at most `limit`, unless instances of several have the same time. With more than `limit`, reads an index entry for each that has
 * instances at or after the position.
 */
export async function rangesWithNewest(
  store: Store,
  visible: VisibleRunsWithTime[],
  { from, before, limit }: { from: Date; before: RunPosition; limit: number },
): Promise<VisibleRuns[]> {
  if (visible.length <= limit) return visible;
  // An instance at the very time of the position may be on an earlier page.
  const later = visible.filter(({ newest }) => newest >= before.acceptedAt);
  const dated = [...(await newestBefore(store, later, { from, before })), ...visible.slice(later.length)];
  const sorted = dated.toSorted((a, b) => b.newest.getTime() - a.newest.getTime());
  const last = sorted[limit - 1];
  // Instances of one batch have the same time, and their order by id is not known here.
  return last ? sorted.filter(({ newest }) => newest >= last.newest) : sorted;
}

/** Those of the visible runs that have instances from `from` on and before the position, each with the time of the newest of these. */
async function newestBefore(
  store: Store,
  visible: VisibleRunsWithTime[],
  { from, before: { acceptedAt, instanceID } }: { from: Date; before: RunPosition },
): Promise<VisibleRunsWithTime[]> {
  const found: VisibleRunsWithTime[] = [];
  for (let start = 0; start < visible.length; start += MAX_RANGES_PER_STATEMENT) {
    const some = visible.slice(start, start + MAX_RANGES_PER_STATEMENT);
    const ranges = some.map(rangeOf);
    const parts = ranges.map(
      ({ index, condition }, place) => `(SELECT ${place} AS place, accepted_at FROM instance FORCE INDEX (${index})
        WHERE ${condition} AND accepted_at BETWEEN ? AND ? AND (accepted_at, instance_id) < (?, ?)
        ORDER BY accepted_at DESC LIMIT 1)`,
    );
    const rows = await store.rows<{ place: number; accepted_at: Date }>(
      parts.join(' UNION ALL '),
      ranges.flatMap(({ values }) => [...values, from, acceptedAt, acceptedAt, instanceID]),
    );
    for (const { place, accepted_at: newest } of rows) {
      const runs = some[place];
      if (runs) found.push({ ...runs, newest });
    }
  }
  return found;
}

/** The index that has these instances in one range, newest last, and the condition of the range. */
function rangeOf({ processID, starterID, kind }: VisibleRuns): { index: string; condition: string; values: unknown[] } {
  if (starterID !== null) {
    const condition = 'process_id = ? AND starter_account_id = ?';
    return { index: 'instance_starter', condition, values: [processID, starterID] };
  }
  if (kind) {
    const condition = 'process_id = ? AND trigger_kind = ? AND failed = ?';
    return { index: 'instance_filter', condition, values: [processID, kind.trigger, kind.failed] };
  }
  return { index: 'instance_process', condition: 'process_id = ?', values: [processID] };
}

/** The newest `limit` instances of the visible runs from `from` on and before a position. */
export function newestRuns(
  store: Store,
  visible: VisibleRuns[],
  { from, before, limit }: { from: Date; before: RunPosition; limit: number },
): Promise<{ instance_id: string; accepted_at: Date }[]> {
  const { acceptedAt, instanceID } = before;
  const ranges = visible.map(rangeOf);
  const parts = ranges.map(
    ({ index, condition }) => `(SELECT instance_id, accepted_at FROM instance FORCE INDEX (${index}) WHERE ${condition}
      AND accepted_at BETWEEN ? AND ? AND (accepted_at, instance_id) < (?, ?)
      ORDER BY accepted_at DESC, instance_id DESC LIMIT ?)`,
  );
  const parameters = ranges.flatMap(({ values }) => [...values, from, acceptedAt, acceptedAt, instanceID, limit]);
  return store.rows(`${parts.join(' UNION ALL ')} ORDER BY accepted_at DESC, instance_id DESC LIMIT ?`, [
    ...parameters,
    limit,
  ]);
}

/**
 * The ids of at most `limit` instances without `history_at` that an account sees, of all its processes or of one: all active
 * ones, and ended debug runs, which the history leaves out. Reads one index entry per process besides those of the instances.
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
