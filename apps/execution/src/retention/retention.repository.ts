import { BiteSize, deleteInBites, inBites, type Store } from '@batuta/database';
import type { LocatedEvidence } from '../evidence/evidence.repository';
import type { RemovalFaults } from '../evidence/removal-faults';

/**
 * Rows of one kind, or instances of one company, after which a sweep begins no further bite; the next sweep continues, and a
 * metric shows how far deletion is behind. MAX_PAGES and MAX_PICTURES bound log lines and pictures.
 */
const MAX_ROWS_PER_SWEEP = 10_000;
const PAGE_SIZE = 500;
/** Maximum pages of instances of one company whose log lines one sweep deletes. */
const MAX_PAGES = 20;
/** Maximum pictures of one company that one sweep deletes. */
const MAX_PICTURES = 500;
const IDEMPOTENCY_KEY_RETENTION_HOURS = 24;
/** Age at which sealed answers are deleted: longer than any caller waits, which is at most two minutes (contract 8). */
const SEALED_ANSWER_RETENTION_MINUTES = 10;

/** How many days a company keeps log lines, kept values and pictures. */
interface CompanyRetention {
  company_id: string;
  days: number;
}

/**
 * Rows that one sweep deleted, and by at most how many seconds the oldest remaining row is overdue; 0 when none is. A sweep that ends early,
 * because the service stops or a limit is reached, may not have seen all rows.
 */
export interface RetentionResult {
  rows: number;
  behindSeconds: number;
}

/** Deletes idempotency keys older than 24 hours, which no start replays any longer (contract 8). */
export async function deleteIdempotencyKeys(store: Store, isStopping?: () => boolean): Promise<RetentionResult> {
  const remove =
    'DELETE FROM idempotency_key WHERE created_at <= UTC_TIMESTAMP(3) - INTERVAL ? HOUR ORDER BY created_at LIMIT ?';
  const rows = await deleteInBites(store, remove, [IDEMPOTENCY_KEY_RETENTION_HOURS], {
    maxRows: MAX_ROWS_PER_SWEEP,
    isStopping,
  });
  const left = await store.row<{ behind: number | null }>(
    'SELECT TIMESTAMPDIFF(SECOND, MIN(created_at) + INTERVAL ? HOUR, UTC_TIMESTAMP(3)) AS behind FROM idempotency_key',
    [IDEMPOTENCY_KEY_RETENTION_HOURS],
  );
  return { rows, behindSeconds: Math.max(0, left?.behind ?? 0) };
}

/**
 * Deletes instances that ended more than `days` ago, with their answers. Ledger and audit trail have retentions of their own; an instance stays
 * until `deleteLogsAndValues` has deleted its log lines and values, which a plan may keep for longer (contract 4.11).
 */
export function deleteInstances(store: Store, days: number, isStopping = () => false): Promise<RetentionResult> {
  return forEachCompany(store, isStopping, ({ company_id }) =>
    deleteCompanyInstances(store, company_id, days, isStopping),
  );
}

async function deleteCompanyInstances(
  store: Store,
  companyID: string,
  days: number,
  isStopping: () => boolean,
): Promise<RetentionResult> {
  const oldest = () =>
    store.row<{ behind: number }>(
      `SELECT TIMESTAMPDIFF(SECOND, finished_at + INTERVAL ? DAY, UTC_TIMESTAMP(3)) AS behind
         FROM instance FORCE INDEX (instance_log_kept)
        WHERE company_id = ? AND has_log = 0 AND finished_at < UTC_TIMESTAMP(3) - INTERVAL ? DAY
        ORDER BY finished_at LIMIT 1`,
      [days, companyID, days],
    );
  if (!(await oldest())) return { rows: 0, behindSeconds: 0 };
  const bite = (limit: number) => store.transaction((tx) => deleteInstancesBite(tx, companyID, days, limit));
  const rows = await inBites(bite, { maxRows: MAX_ROWS_PER_SWEEP, isStopping });
  return { rows, behindSeconds: (await oldest())?.behind ?? 0 };
}

async function deleteInstancesBite(tx: Store, companyID: string, days: number, limit: number): Promise<number> {
  const ended = await tx.rows<{ instance_id: string }>(
    `SELECT instance_id FROM instance FORCE INDEX (instance_log_kept)
      WHERE company_id = ? AND has_log = 0 AND finished_at < UTC_TIMESTAMP(3) - INTERVAL ? DAY
      ORDER BY finished_at LIMIT ? FOR UPDATE SKIP LOCKED`,
    [companyID, days, limit],
  );
  if (ended.length === 0) return 0;
  const instanceIDs = ended.map((row) => row.instance_id);
  await tx.write('DELETE FROM instance_answer WHERE instance_id IN (?)', [instanceIDs]);
  await tx.write('DELETE FROM instance_secret_answer WHERE instance_id IN (?)', [instanceIDs]);
  await tx.write('DELETE FROM instance_input WHERE instance_id IN (?)', [instanceIDs]);
  await tx.write('DELETE FROM instance_values WHERE instance_id IN (?)', [instanceIDs]);
  await tx.write('DELETE FROM instance WHERE instance_id IN (?)', [instanceIDs]);
  return ended.length;
}

/** Deletes the sealed bodies of answers for which no caller can still wait; the masked copies stay with the instance. */
export async function deleteSealedAnswers(store: Store, isStopping?: () => boolean): Promise<RetentionResult> {
  const rows = await inBites((limit) => store.transaction((tx) => deleteSealedAnswersBite(tx, limit)), {
    maxRows: MAX_ROWS_PER_SWEEP,
    isStopping,
  });
  const left = await store.row<{ behind: number | null }>(
    `SELECT TIMESTAMPDIFF(SECOND, MIN(sealed_at) + INTERVAL ? MINUTE, UTC_TIMESTAMP(3)) AS behind
       FROM instance_secret_answer`,
    [SEALED_ANSWER_RETENTION_MINUTES],
  );
  return { rows, behindSeconds: Math.max(0, left?.behind ?? 0) };
}

async function deleteSealedAnswersBite(tx: Store, limit: number): Promise<number> {
  const old = await tx.rows<{ instance_id: string }>(
    `SELECT instance_id FROM instance_secret_answer WHERE sealed_at < UTC_TIMESTAMP(3) - INTERVAL ? MINUTE
      ORDER BY sealed_at LIMIT ? FOR UPDATE SKIP LOCKED`,
    [SEALED_ANSWER_RETENTION_MINUTES, limit],
  );
  if (old.length === 0) return 0;
  await tx.write('UPDATE instance_secret_answer SET sealed = NULL, sealed_at = NULL WHERE instance_id IN (?)', [
    old.map((row) => row.instance_id),
  ]);
  return old.length;
}

/** Deletes log lines and kept values of instances that ended longer ago than the company's plan keeps lines (contract 4.11). */
export function deleteLogsAndValues(store: Store, isStopping = () => false): Promise<RetentionResult> {
  return forEachCompany(store, isStopping, (company) => deleteCompanyLogs(store, company, isStopping));
}

/** The picture at which a round found its store away. */
interface PicturePlace {
  companyID: string;
  createdAt: Date;
  evidenceID: string;
}

interface OverduePicture extends LocatedEvidence {
  created_at: Date;
  behind: number;
}

/** `continuation` = behind which picture the next round begins, so that the same refused pictures do not end each round. */
export interface PictureOptions {
  continuation?: { after?: PicturePlace | undefined };
  isStopping?: () => boolean;
  pageSize?: number;
}

/**
 * Deletes pictures that are older than their company keeps log lines, and whose instance ended as long ago or was deleted.
 * `remove` deletes one picture; its failures go to `faults`, which the caller throws.
 */
export async function deletePictures(
  store: Store,
  remove: (picture: LocatedEvidence) => Promise<void>,
  faults: RemovalFaults,
  { continuation = {}, isStopping = () => false, pageSize = PAGE_SIZE }: PictureOptions = {},
): Promise<RetentionResult> {
  const first = continuation.after;
  let away: PicturePlace | undefined;

  /** Whether the picture was removed. */
  const tryRemove = async (companyID: string, picture: OverduePicture): Promise<boolean> => {
    const { location, created_at: createdAt, evidence_id: evidenceID } = picture;
    if (faults.isAway(location)) return false;
    try {
      await remove(picture);
      return true;
    } catch (error) {
      faults.add(location, error);
      if (faults.isAway(location)) away ??= { companyID, createdAt, evidenceID };
      return false;
    }
  };

  const deleteOfCompany = async (company: CompanyRetention): Promise<RetentionResult> => {
    const companyID = company.company_id;
    let after = first?.companyID === companyID ? first : undefined;
    let rows = 0;
    for (let isLast = false; !isLast && rows < MAX_PICTURES && !isStopping();) {
      const page = await overduePictures(store, company, pageSize, after);
      const last = page.at(-1);
      if (!last) break;
      for (const picture of page) {
        if (isStopping() || rows === MAX_PICTURES) break;
        if (await tryRemove(companyID, picture)) rows += 1;
      }
      after = { companyID, createdAt: last.created_at, evidenceID: last.evidence_id };
      isLast = page.length < pageSize || page.some(({ location }) => faults.isAway(location));
    }
    const [oldest] = await overduePictures(store, company, 1);
    return { rows, behindSeconds: oldest?.behind ?? 0 };
  };

  const result = await forEachCompany(store, isStopping, deleteOfCompany, first?.companyID);
  continuation.after = away;
  return result;
}

/** The oldest overdue pictures of the company, or those behind `after`. */
function overduePictures(
  store: Store,
  { company_id: companyID, days }: CompanyRetention,
  limit: number,
  after?: PicturePlace,
): Promise<OverduePicture[]> {
  // MariaDB reads no range of an index for a comparison of two columns at once.
  const behindPlace = 'AND e.created_at >= ? AND (e.created_at > ? OR e.evidence_id > ?)';
  return store.rows(
    `SELECT e.evidence_id, e.location, e.created_at,
            TIMESTAMPDIFF(SECOND, e.created_at + INTERVAL ? DAY, UTC_TIMESTAMP(3)) AS behind
       FROM evidence e FORCE INDEX (evidence_kept) LEFT JOIN instance i ON i.instance_id = e.instance_id
      WHERE e.company_id = ? AND e.created_at < UTC_TIMESTAMP(3) - INTERVAL ? DAY
        AND (i.instance_id IS NULL OR i.finished_at < UTC_TIMESTAMP(3) - INTERVAL ? DAY)
        ${after ? behindPlace : ''}
      ORDER BY e.created_at, e.evidence_id LIMIT ?`,
    [days, companyID, days, days, ...(after ? [after.createdAt, after.createdAt, after.evidenceID] : []), limit],
  );
}

/** Works on one company after the other, beginning with `first`; those before it follow at the end. */
async function forEachCompany(
  store: Store,
  isStopping: () => boolean,
  work: (company: CompanyRetention) => Promise<RetentionResult>,
  first = '',
): Promise<RetentionResult> {
  const total: RetentionResult = { rows: 0, behindSeconds: 0 };
  for await (const company of companiesFrom(store, first)) {
    if (isStopping()) return total;
    const { rows, behindSeconds } = await work(company);
    total.rows += rows;
    total.behindSeconds = Math.max(total.behindSeconds, behindSeconds);
  }
  return total;
}

async function* companiesFrom(store: Store, first: string): AsyncGenerator<CompanyRetention> {
  let page = await companiesWhere(store, 'c.company_id >= ?', first);
  for (; page.length > 0; page = await companiesWhere(store, 'c.company_id > ?', page.at(-1)?.company_id ?? '')) {
    yield* page;
  }
  if (first === '') return;
  for await (const company of companiesFrom(store, '')) {
    if (company.company_id >= first) return;
    yield company;
  }
}

function companiesWhere(store: Store, condition: string, companyID: string): Promise<CompanyRetention[]> {
  return store.rows<CompanyRetention>(
    `SELECT c.company_id, p.log_retention_days AS days FROM company c STRAIGHT_JOIN plan p ON p.plan_id = c.plan_id
      WHERE ${condition} ORDER BY c.company_id LIMIT ?`,
    [companyID, PAGE_SIZE],
  );
}

async function deleteCompanyLogs(
  store: Store,
  { company_id: companyID, days }: CompanyRetention,
  isStopping: () => boolean,
): Promise<RetentionResult> {
  let overdue: { instance_id: string; behind: number }[] = [];
  const size = new BiteSize();
  let rows = 0;
  for (let page = 0; page < MAX_PAGES && !isStopping(); page += 1) {
    overdue = await store.rows(
      `SELECT instance_id, TIMESTAMPDIFF(SECOND, finished_at + INTERVAL ? DAY, UTC_TIMESTAMP(3)) AS behind FROM instance
        WHERE company_id = ? AND has_log = 1 AND finished_at < UTC_TIMESTAMP(3) - INTERVAL ? DAY
        ORDER BY finished_at LIMIT ?`,
      [days, companyID, days, PAGE_SIZE],
    );
    if (overdue.length === 0) return { rows, behindSeconds: 0 };
    for (const { instance_id } of overdue) {
      if (isStopping()) break;
      rows += await deleteLines(store, instance_id, { size, isStopping });
    }
  }
  return { rows, behindSeconds: overdue[0]?.behind ?? 0 };
}

/**
 * Deletes the kept values together with the lines. `has_log` is cleared last, so that after an interruption the next
 * sweep deletes the rest. When the service stops, lines may be left.
 */
async function deleteLines(
  store: Store,
  instanceID: string,
  options: { size: BiteSize; isStopping: () => boolean },
): Promise<number> {
  const remove = 'DELETE FROM instance_log WHERE instance_id = ? ORDER BY line LIMIT ?';
  const rows = await deleteInBites(store, remove, [instanceID], options);
  if (options.isStopping()) return rows;
  await store.write('DELETE FROM instance_input WHERE instance_id = ?', [instanceID]);
  await store.write('DELETE FROM instance_values WHERE instance_id = ?', [instanceID]);
  await store.write('UPDATE instance SET has_log = 0 WHERE instance_id = ?', [instanceID]);
  return rows;
}
