import type { Schedule } from '@batuta/contracts';
import { PAGE_BYTES, pageBySize, type PageBudget, type Store } from '@batuta/database';
import { MASK_TEXT } from '@batuta/masking';

export interface ScheduleRow {
  schedule_id: string;
  process_id: string;
  /** The account that created it; its firings run as the owner of the process instead. */
  creator_account_id: string;
  /** The executor of the request that created the schedule, and of the starts of the schedule. */
  executor: string;
  name: string;
  cron_expression: string;
  /** Null = the environment that is registered on the process at the start. */
  environment_id: string | null;
  active: number;
  /** The first nominal time without a firing; null = it is switched off, or its expression is refused or gives no further time. */
  next_at: Date | null;
}

export interface NewSchedule extends Omit<ScheduleRow, 'active'> {
  /** The label of the credential, or the name of the account, that created it. */
  user_name: string;
  /** JSON of the values as they were sent. */
  matrix: string;
  active: boolean;
  created_at: Date;
}

interface ListedRow extends ScheduleRow {
  matrix: string;
  process_name: string;
  user_name: string;
  registered_environment_id: string | null;
  scheduling: number;
}

const SCHEDULE_COLUMNS = `s.schedule_id, s.process_id, s.creator_account_id, s.executor, s.name, s.cron_expression,
  s.environment_id, s.active, s.next_at`;

const MAX_PAGE_ROWS = 1_000;
/** Estimated bytes of the columns of a schedule other than its values. */
const ROW_BYTES = 1_000;

/** Schedules that an account created or whose process it owns (interpretation 14), or the schedules of a process. */
export type ScheduleScope = { accountID: string } | { processID: string };

export function findSchedule(store: Store, id: string): Promise<ScheduleRow | undefined> {
  return store.row<ScheduleRow>(`SELECT ${SCHEDULE_COLUMNS} FROM schedule s WHERE s.schedule_id = ?`, [id]);
}

/** Reads and locks a schedule until the transaction ends. */
export function lockSchedule(tx: Store, id: string): Promise<ScheduleRow | undefined> {
  return tx.row<ScheduleRow>(`SELECT ${SCHEDULE_COLUMNS} FROM schedule s WHERE s.schedule_id = ? FOR UPDATE`, [id]);
}

export async function insertSchedule(store: Store, row: NewSchedule): Promise<void> {
  await store.write(`INSERT INTO schedule (${Object.keys(row).join(', ')}) VALUES (?)`, [Object.values(row)]);
}

/** Sets the given columns; does nothing when none is given. */
export async function changeSchedule(
  tx: Store,
  id: string,
  columns: Partial<Pick<NewSchedule, 'name' | 'cron_expression' | 'matrix' | 'environment_id' | 'next_at'>>,
): Promise<void> {
  const names = Object.keys(columns);
  if (names.length === 0) return;
  const assignments = names.map((name) => `${name} = ?`).join(', ');
  await tx.write(`UPDATE schedule SET ${assignments} WHERE schedule_id = ?`, [...Object.values(columns), id]);
}

/** `nextAt` null = the schedule does not fire. */
export async function setActive(store: Store, id: string, active: boolean, nextAt: Date | null): Promise<void> {
  await store.write('UPDATE schedule SET active = ?, next_at = ? WHERE schedule_id = ?', [active, nextAt, id]);
}

/**
 * The schedules after the id `after` in the order of creation, as many as fit into a page, without those of deleted
 * processes.
 */
export async function pageOfSchedules(
  store: Store,
  pages: PageBudget,
  scope: ScheduleScope,
  after = '',
): Promise<{ schedules: Schedule[]; more: boolean }> {
  const reader = 'processID' in scope ? scope.processID : scope.accountID;
  for (let begin = after; ;) {
    const { rows: sizes, more } = await pageBySize<ScheduleSize>(
      (last, count) => store.rows(...sizesOf(scope, last?.schedule_id ?? begin, count)),
      { rows: MAX_PAGE_ROWS, bytes: PAGE_BYTES },
    );
    const end = sizes.at(-1);
    if (!end) return { schedules: [], more };
    const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
    const ids = sizes.map((size) => size.schedule_id);
    const schedules = await pages.read(reader, bytes, () => listedSchedules(store, ids));
    // All of them may have been removed since their sizes were read. The reader continues after the last schedule that it gets, so it needs one.
    if (schedules.length > 0 || !more) return { schedules, more };
    begin = end.schedule_id;
  }
}

/** A schedule as the lists show it; undefined when it or its process does not exist. Its bytes count against the page budget of `reader`. */
export async function readSchedule(
  store: Store,
  pages: PageBudget,
  id: string,
  reader: string,
): Promise<Schedule | undefined> {
  const size = await store.row<ScheduleSize>(
    `SELECT schedule_id, ${ROW_BYTES} + matrix_bytes AS bytes FROM schedule WHERE schedule_id = ?`,
    [id],
  );
  if (!size) return undefined;
  const [found] = await pages.read(reader, size.bytes, () => listedSchedules(store, [id]));
  return found;
}

interface ScheduleSize {
  schedule_id: string;
  bytes: number;
}

/** The plan is forced, because other plans read the values of schedules, or the schedules of all accounts. */
function sizesOf(scope: ScheduleScope, after: string, count: number): [sql: string, parameters: unknown[]] {
  const columns = `SELECT STRAIGHT_JOIN s.schedule_id, ${ROW_BYTES} + size.matrix_bytes AS bytes`;
  const withSize = 'JOIN schedule size FORCE INDEX (schedule_size) ON size.schedule_id = s.schedule_id';
  const ofProcesses = `${columns} FROM process p
      JOIN schedule s FORCE INDEX (schedule_process) ON s.process_id = p.process_id ${withSize}`;
  const ofCreator = `${columns} FROM schedule s FORCE INDEX (schedule_creator)
      JOIN process p ON p.process_id = s.process_id ${withSize}`;
  const order = 'ORDER BY schedule_id LIMIT ?';
  if ('processID' in scope) {
    return [`${ofProcesses} WHERE p.process_id = ? AND s.schedule_id > ? ${order}`, [scope.processID, after, count]];
  }
  const { accountID } = scope;
  return [
    `(${ofCreator} WHERE s.creator_account_id = ? AND s.schedule_id > ? ${order})
     UNION (${ofProcesses} WHERE p.account_id = ? AND s.schedule_id > ? ${order}) ${order}`,
    [accountID, after, count, accountID, after, count, count],
  ];
}

/** The schedules with these ids in the order of their creation, values included. */
export async function listedSchedules(store: Store, ids: string[]): Promise<Schedule[]> {
  const rows = await store.rows<ListedRow>(
    `SELECT ${SCHEDULE_COLUMNS}, s.matrix, s.user_name, p.process_name, p.environment_id AS registered_environment_id, plan.scheduling
       FROM schedule s JOIN process p ON p.process_id = s.process_id
       JOIN company c ON c.company_id = p.company_id JOIN plan ON plan.plan_id = c.plan_id
      WHERE s.schedule_id IN (?) ORDER BY s.schedule_id`,
    [ids],
  );
  const read = rows.map((row) => ({ row, values: readValues(row) }));
  const shown = await shownNames(store, read);
  return read.map(({ row, values }) => toSchedule(row, values, shown.get(row.process_id)));
}

type Values = Record<string, unknown>;

function readValues({ matrix }: ListedRow): Values {
  return JSON.parse(matrix);
}

/**
 * The names whose values are shown, by process: those of variables that are no Secreto. A variable may have become a Secreto after the
 * schedule was made, and may then have been renamed or removed, so that its name has no variable (contract 4.14, interpretation 64).
 */
async function shownNames(store: Store, read: { row: ListedRow; values: Values }[]): Promise<Map<string, Set<string>>> {
  const used = new Set(read.flatMap(({ values }) => Object.keys(values)));
  if (used.size === 0) return new Map();
  const rows = await store.rows<{ process_id: string; name: string }>(
    "SELECT process_id, name FROM matrix_variable WHERE process_id IN (?) AND name IN (?) AND type <> 'Secreto'",
    [[...new Set(read.map(({ row }) => row.process_id))], [...used]],
  );
  const names = new Map<string, Set<string>>();
  for (const { process_id, name } of rows) names.set(process_id, (names.get(process_id) ?? new Set()).add(name));
  return names;
}

function toSchedule(row: ListedRow, values: Values, shown = new Set<string>()): Schedule {
  const matrix = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, shown.has(name) || value === null ? value : MASK_TEXT]),
  );
  return {
    id: row.schedule_id,
    name: row.name,
    processID: row.process_id,
    processName: row.process_name,
    cronExpression: row.cron_expression,
    active: row.active === 1,
    userName: row.user_name,
    matrix,
    environmentID: row.environment_id ?? row.registered_environment_id ?? '',
    ...(row.scheduling === 1 ? {} : { unavailable: 'OWNER_PLAN_NO_SCHEDULING' as const }),
  };
}
