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

/** What a page of schedules weighs at the most, in bytes of values: it has to fit into one message. */
const PAGE_BYTES = 2_000_000;
const PAGE_ROWS = 1_000;

/** Of whom: an account's (interpretation 14) or a process's. */
export type Whose = { accountID: string } | { processID: string };

export function find(store: Store, id: string): Promise<ScheduleRow | undefined> {
  return store.row<ScheduleRow>(`SELECT ${COLUMNS} FROM schedule s WHERE s.schedule_id = ?`, [id]);
}

/** The row, locked until the transaction ends. */
export function lock(tx: Store, id: string): Promise<ScheduleRow | undefined> {
  return tx.row<ScheduleRow>(`SELECT ${COLUMNS} FROM schedule s WHERE s.schedule_id = ? FOR UPDATE`, [id]);
}

/**
 * Locks the schedules that have been due for longest and that no other replica is claiming. The index is forced: any
 * other plan sorts, and so locks every due schedule, whatever the limit.
 */
export function lockDue(tx: Store, now: Date, limit: number): Promise<ScheduleRow[]> {
  return tx.rows<ScheduleRow>(
    `SELECT ${COLUMNS} FROM schedule s FORCE INDEX (schedule_due)
      WHERE s.next_at <= ? ORDER BY s.next_at, s.schedule_id LIMIT ? FOR UPDATE SKIP LOCKED`,
    [now, limit],
  );
}

export function findAll(store: Store, ids: string[]): Promise<ScheduleRow[]> {
  return store.rows<ScheduleRow>(`SELECT ${COLUMNS} FROM schedule s WHERE s.schedule_id IN (?)`, [ids]);
}

export async function insert(
  store: Store,
  row: Omit<ScheduleRow, 'active'> & { user_name: string; active: boolean; created_at: Date },
): Promise<void> {
  await store.write(`INSERT INTO schedule (${Object.keys(row).join(', ')}) VALUES (?)`, [Object.values(row)]);
}

/** `nextAt` null = switched off, or never again. */
export async function setNext(store: Store, id: string, nextAt: Date | null): Promise<void> {
  await store.write('UPDATE schedule SET next_at = ? WHERE schedule_id = ?', [nextAt, id]);
}

export async function setActive(store: Store, id: string, active: boolean, nextAt: Date | null): Promise<void> {
  await store.write('UPDATE schedule SET active = ?, next_at = ? WHERE schedule_id = ?', [active, nextAt, id]);
}

/** In the order of creation, behind `after`; as many as fit into a message. Those of deleted processes are left out. */
export async function page(
  store: Store,
  whose: Whose,
  after: string | undefined,
): Promise<{ schedules: Schedule[]; more: boolean }> {
  const sizes = await store.rows<{ schedule_id: string; bytes: number }>(...sizesOf(whose, after ?? ''));
  const fitting = firstThatFit(sizes);
  if (fitting.length === 0) return { schedules: [], more: false };
  const rows = await store.rows<ListedRow>(
    `SELECT ${COLUMNS}, s.user_name, p.process_name, p.environment_id AS registered_environment_id, plan.scheduling
       FROM schedule s JOIN process p ON p.process_id = s.process_id
       JOIN company c ON c.company_id = p.company_id JOIN plan ON plan.plan_id = c.plan_id
      WHERE s.schedule_id IN (?) ORDER BY s.schedule_id`,
    [fitting],
  );
  return { schedules: rows.map(toSchedule), more: fitting.length < sizes.length || sizes.length === PAGE_ROWS };
}

function sizesOf(whose: Whose, after: string): [sql: string, parameters: unknown[]] {
  const size =
    'SELECT s.schedule_id, LENGTH(s.matrix) AS bytes FROM schedule s JOIN process p ON p.process_id = s.process_id';
  const order = `ORDER BY schedule_id LIMIT ${PAGE_ROWS}`;
  if ('processID' in whose) {
    return [`${size} WHERE s.process_id = ? AND s.schedule_id > ? ${order}`, [whose.processID, after]];
  }
  const { accountID } = whose;
  return [
    `(${size} WHERE s.creator_account_id = ? AND s.schedule_id > ? ${order})
     UNION (${size} WHERE p.account_id = ? AND s.schedule_id > ? ${order}) ${order}`,
    [accountID, after, accountID, after],
  ];
}

function firstThatFit(sizes: { schedule_id: string; bytes: number }[]): string[] {
  let bytes = 0;
  // The first always fits: a single body is smaller than a message.
  const end = sizes.findIndex((one, index) => (bytes += one.bytes) > PAGE_BYTES && index > 0);
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
