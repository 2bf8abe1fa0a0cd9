import type { Schedule } from '@batuta/contracts';
import type { Store } from '@batuta/database';

export interface ScheduleRow {
  schedule_id: string;
  process_id: string;
  creator_account_id: string;
  executor: string;
  name: string;
  cron_expression: string;
  matrix: string;
  environment_id: string | null;
  active: number;
  next_at: Date | null;
}

interface ListedRow extends ScheduleRow {
  process_name: string;
  user_name: string;
  registered_environment_id: string | null;
  scheduling: number;
}

const COLUMNS = `s.schedule_id, s.process_id, s.creator_account_id, s.executor, s.name, s.cron_expression, s.matrix,
  s.environment_id, s.active, s.next_at`;

/** Bytes of values in one page, which must fit into one message. */
const MAX_PAGE_BYTES = 2_000_000;
const MAX_PAGE_ROWS = 1_000;

/** Schedules that an account created or whose process it owns (interpretation 14), or the schedules of a process. */
export type ScheduleScope = { accountID: string } | { processID: string };

export function find(store: Store, id: string): Promise<ScheduleRow | undefined> {
  return store.row<ScheduleRow>(`SELECT ${COLUMNS} FROM schedule s WHERE s.schedule_id = ?`, [id]);
}

/** Reads and locks a schedule until the transaction ends. */
export function lock(tx: Store, id: string): Promise<ScheduleRow | undefined> {
  return tx.row<ScheduleRow>(`SELECT ${COLUMNS} FROM schedule s WHERE s.schedule_id = ? FOR UPDATE`, [id]);
}

export type NewSchedule = Omit<ScheduleRow, 'active'> & { user_name: string; active: boolean; created_at: Date };

export async function insert(store: Store, row: NewSchedule): Promise<void> {
  await store.write(`INSERT INTO schedule (${Object.keys(row).join(', ')}) VALUES (?)`, [Object.values(row)]);
}

/** `nextAt` null = the schedule does not fire. */
export async function setActive(store: Store, id: string, active: boolean, nextAt: Date | null): Promise<void> {
  await store.write('UPDATE schedule SET active = ?, next_at = ? WHERE schedule_id = ?', [active, nextAt, id]);
}

/** The schedules after the id `after` in the order of creation, as many as fit into a message; none of deleted processes. */
export async function page(
  store: Store,
  scope: ScheduleScope,
  after: string | undefined,
): Promise<{ schedules: Schedule[]; more: boolean }> {
  const sizes = await store.rows<{ schedule_id: string; bytes: number }>(...sizesOf(scope, after ?? ''));
  const fitting = idsThatFit(sizes);
  if (fitting.length === 0) return { schedules: [], more: false };
  const rows = await store.rows<ListedRow>(
    `SELECT ${COLUMNS}, s.user_name, p.process_name, p.environment_id AS registered_environment_id, plan.scheduling
       FROM schedule s JOIN process p ON p.process_id = s.process_id
       JOIN company c ON c.company_id = p.company_id JOIN plan ON plan.plan_id = c.plan_id
      WHERE s.schedule_id IN (?) ORDER BY s.schedule_id`,
    [fitting],
  );
  return { schedules: rows.map(toSchedule), more: fitting.length < sizes.length || sizes.length === MAX_PAGE_ROWS };
}

function sizesOf(scope: ScheduleScope, after: string): [sql: string, parameters: unknown[]] {
  const size =
    'SELECT s.schedule_id, LENGTH(s.matrix) AS bytes FROM schedule s JOIN process p ON p.process_id = s.process_id';
  const order = `ORDER BY schedule_id LIMIT ${MAX_PAGE_ROWS}`;
  if ('processID' in scope) {
    return [`${size} WHERE s.process_id = ? AND s.schedule_id > ? ${order}`, [scope.processID, after]];
  }
  const { accountID } = scope;
  return [
    `(${size} WHERE s.creator_account_id = ? AND s.schedule_id > ? ${order})
     UNION (${size} WHERE p.account_id = ? AND s.schedule_id > ? ${order}) ${order}`,
    [accountID, after, accountID, after],
  ];
}

function idsThatFit(sizes: { schedule_id: string; bytes: number }[]): string[] {
  let bytes = 0;
  // The first schedule always fits: the body that created it was smaller than a message.
  const end = sizes.findIndex((one, index) => (bytes += one.bytes) > MAX_PAGE_BYTES && index > 0);
  return (end === -1 ? sizes : sizes.slice(0, end)).map((one) => one.schedule_id);
}

function toSchedule(row: ListedRow): Schedule {
  const matrix: Record<string, unknown> = JSON.parse(row.matrix);
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
