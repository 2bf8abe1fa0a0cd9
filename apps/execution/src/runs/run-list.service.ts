import type { Run, RunFilter, RunListPage, RunsRequest } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Injectable } from '@nestjs/common';
import { instancesOutsideHistory, rangesWithNewest, newestRuns, visibleRuns, type RunPosition } from './visible-runs';
import { isActive } from '../instances/transition';
import { areAllShown, kindsOf } from './run-kinds';
import { parseRunCursor, formatRunCursor } from './run-cursor';
import { RUN_COLUMNS, toRun, type RunRow } from './run-row';

/**
 * Times before the first instance and after the last one; the database stores years up to 9999, and `g` follows every
 * instance id.
 */
const EARLIEST = new Date('2000-01-01T00:00:00Z');
const LATEST: RunPosition = { acceptedAt: new Date('9999-01-01T00:00:00Z'), instanceID: 'g' };

// MAX_STEP_RUNS and MAX_ACTIVE_RUNS stay below 1,000, because MariaDB materializes a longer IN list as a table, which triples the rows that it
// reads.

/**
 * A page with a filter that no index covers is searched in steps, each in the next older instances. An index covers failed runs and triggers
 * of own processes. Limits of one step: the instances that it reads, and the index entries that it reads of all processes together.
 */
const MAX_STEP_RUNS = 900;
const MAX_STEP_ENTRIES = 20_000;
/**
 * A page of active instances is read by the index of these. With more of them than this, it is searched in steps, like a
 * page of ended instances.
 */
const MAX_ACTIVE_RUNS = 900;
/**
 * Maximum steps per page. A page that is not full after these steps, which read at most 4,500 instances, ends, and its cursor continues the
 * search.
 */
const MAX_STEPS = 5;

/**
 * The instances that an account sees, with bounded cost for each page: all of its own processes, and of a process shared with it those that it
 * started itself.
 */
@Injectable()
export class RunListService {
  constructor(private readonly store: Store) {}

  /** Throws BAD_REQUEST for a text that is no cursor. The page may be empty although `older` says that the search continues. */
  async page({ accountID, filter, limit, before }: RunsRequest): Promise<RunListPage> {
    const from = filter.from === undefined ? EARLIEST : new Date(filter.from);
    let position = earlierPosition(startOf(filter), before === undefined ? LATEST : parseRunCursor(before));
    const active = await this.activePage({ accountID, filter, from, position, limit });
    if (active) return active;
    const runs: Run[] = [];
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const wanted = limit + 1 - runs.length;
      const found = await this.step({ accountID, filter, from, position, wanted });
      runs.push(...found.runs);
      if (runs.length > limit) return { runs: runs.slice(0, limit), older: { before: cursorOf(runs[limit - 1]) } };
      if (!found.last) return { runs };
      position = found.last;
    }
    return { runs, older: { before: formatRunCursor(position) } };
  }

  /**
   * A page of active instances. The index of the history has them in one range, with no ended instances but debug runs.
   * Undefined when the filter includes ended instances, or when too many are active.
   */
  private async activePage(of: {
    accountID: string;
    filter: RunFilter;
    from: Date;
    position: RunPosition;
    limit: number;
  }): Promise<RunListPage | undefined> {
    const { accountID, filter, from, position, limit } = of;
    if (!filter.statuses?.every((status) => isActive(status))) return undefined;
    const ids = await instancesOutsideHistory(
      this.store,
      { accountID, processID: filter.processID },
      MAX_ACTIVE_RUNS + 1,
    );
    if (ids.length > MAX_ACTIVE_RUNS) return undefined;
    const runs = await this.readMatching(ids, filter, limit + 1, { from, before: position });
    if (runs.length <= limit) return { runs };
    return { runs: runs.slice(0, limit), older: { before: cursorOf(runs[limit - 1]) } };
  }

  /** Searches the next instances for matches. `last` = where to continue; absent at the end of the list. */
  private async step(of: {
    accountID: string;
    filter: RunFilter;
    from: Date;
    position: RunPosition;
    wanted: number;
  }): Promise<{ runs: Run[]; last?: RunPosition }> {
    const { accountID, filter, from, position, wanted } = of;
    const kinds = kindsOf(filter);
    const visible = await visibleRuns(this.store, { accountID, processID: filter.processID, kinds }, from);
    const searched = visible.every((runs) => areAllShown(runs, filter)) ? wanted : MAX_STEP_RUNS;
    const ranges = await rangesWithNewest(this.store, visible, { from, before: position, limit: searched });
    if (ranges.length === 0) return { runs: [] };
    const limit = Math.max(wanted, Math.min(searched, Math.floor(MAX_STEP_ENTRIES / ranges.length)));
    const searchedRuns = await newestRuns(this.store, ranges, { from, before: position, limit });
    const runs = await this.readMatching(
      searchedRuns.map((row) => row.instance_id),
      filter,
      wanted,
    );
    const last = searchedRuns.length < limit ? undefined : searchedRuns.at(-1);
    return { runs, last: last && { acceptedAt: last.accepted_at, instanceID: last.instance_id } };
  }

  /**
   * Reads those of the instances that match the filter. They are read by their ids, because by the index of the status
   * the server would read the instances of all companies. `period` limits the result to instances from `from` on and
   * before a position.
   */
  private async readMatching(
    instanceIDs: string[],
    filter: RunFilter,
    limit: number,
    period?: { from: Date; before: RunPosition },
  ): Promise<Run[]> {
    if (instanceIDs.length === 0) return [];
    const conditions: [sql: string, value: unknown][] = [
      ['instance_id IN (?)', instanceIDs],
      ...(filter.statuses ? [['status IN (?)', filter.statuses] satisfies [string, unknown]] : []),
      ...(filter.triggers ? [['trigger_kind IN (?)', filter.triggers] satisfies [string, unknown]] : []),
      ...(filter.environmentID === undefined
        ? []
        : [['environment_id = ?', filter.environmentID] satisfies [string, unknown]]),
    ];
    const inPeriod = period ? 'AND accepted_at >= ? AND (accepted_at, instance_id) < (?, ?)' : '';
    const times = period ? [period.from, period.before.acceptedAt, period.before.instanceID] : [];
    const rows = await this.store.rows<RunRow>(
      `SELECT ${RUN_COLUMNS} FROM instance FORCE INDEX (PRIMARY) WHERE ${conditions.map(([sql]) => sql).join(' AND ')} ${inPeriod}
        ORDER BY accepted_at DESC, instance_id DESC LIMIT ?`,
      [...conditions.map(([, value]) => value), ...times, limit],
    );
    return rows.map(toRun);
  }
}

/** The position just before `to`, which is exclusive: no id is smaller than the empty text. */
function startOf({ to }: RunFilter): RunPosition {
  return to === undefined ? LATEST : { acceptedAt: new Date(to), instanceID: '' };
}

function earlierPosition(a: RunPosition, b: RunPosition): RunPosition {
  const byTime = a.acceptedAt.getTime() - b.acceptedAt.getTime();
  return byTime < 0 || (byTime === 0 && a.instanceID < b.instanceID) ? a : b;
}

function cursorOf(run: Run | undefined): string {
  return run ? formatRunCursor({ acceptedAt: new Date(run.acceptedAt), instanceID: run.instanceID }) : '';
}
