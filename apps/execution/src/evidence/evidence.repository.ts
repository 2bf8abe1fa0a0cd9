import type { EvidenceFrame } from '@batuta/agent-protocol';
import type { Store } from '@batuta/database';
import type { MediaType } from './picture-rules';

/** The columns of `evidence` that the service reads. */
export interface EvidenceRow {
  evidence_id: string;
  instance_id: string;
  /** The fence of the claim in which the agent made the picture. */
  fence: number;
  /** The company of the instance; the picture counts in its quota. */
  company_id: string;
  media_type: MediaType;
  /** Size of the whole picture, also before all of its parts are stored. */
  bytes: number;
  /** Number of stored parts; parts are stored in order. */
  parts: number;
  /** 1 once all parts are stored. */
  complete: number;
  /** Empty while the picture is in `evidence_part`; otherwise the location of a bucket. */
  location: string;
}

export type LocatedEvidence = Pick<EvidenceRow, 'evidence_id' | 'location'>;

/** The instance that a picture belongs to; `open` = 1 while the instance still takes pictures. */
export interface PictureInstance {
  environment_id: string;
  process_id: string;
  company_id: string;
  fence: number;
  open: number;
}

const EVIDENCE_COLUMNS = 'evidence_id, instance_id, fence, company_id, media_type, bytes, parts, complete, location';

export function findEvidence(store: Store, evidenceID: string): Promise<EvidenceRow | undefined> {
  return store.row<EvidenceRow>(`SELECT ${EVIDENCE_COLUMNS} FROM evidence WHERE evidence_id = ?`, [evidenceID]);
}

/** Reads the row of a picture and locks it until the transaction ends. */
export function lockEvidence(tx: Store, evidenceID: string): Promise<EvidenceRow | undefined> {
  return tx.row<EvidenceRow>(`SELECT ${EVIDENCE_COLUMNS} FROM evidence WHERE evidence_id = ? FOR UPDATE`, [evidenceID]);
}

/**
 * How long after its end an instance takes further pictures: the agent sends pictures beside its reports, so the first
 * part of a picture may arrive after the end.
 */
export const LATE_PICTURE_MINUTES = 10;

/** `open` = 1 for an instance that runs or ended at most LATE_PICTURE_MINUTES ago, and whose process was not deleted. */
export function findPictureInstance(store: Store, instanceID: string): Promise<PictureInstance | undefined> {
  return store.row<PictureInstance>(
    `SELECT i.environment_id, i.process_id, i.company_id, i.fence,
            p.process_id IS NOT NULL AND (i.status = 'running'
              OR COALESCE(i.finished_at > UTC_TIMESTAMP(3) - INTERVAL ${LATE_PICTURE_MINUTES} MINUTE, 0)) AS open
       FROM instance i LEFT JOIN process p ON p.process_id = i.process_id WHERE i.instance_id = ?`,
    [instanceID],
  );
}

/**
 * Locks and returns the bytes of all pictures of a company. Until the transaction ends, no other transaction adds or deletes a picture of the
 * company.
 */
export async function lockUsage(tx: Store, companyID: string): Promise<number> {
  // Unlike INSERT IGNORE, this statement takes the exclusive lock at once, so that two transactions cannot deadlock.
  await tx.write('INSERT INTO evidence_usage (company_id, bytes) VALUES (?, 0) ON DUPLICATE KEY UPDATE bytes = bytes', [
    companyID,
  ]);
  const row = await tx.row<{ bytes: number | string }>(
    'SELECT bytes FROM evidence_usage WHERE company_id = ? FOR UPDATE',
    [companyID],
  );
  return Number(row?.bytes ?? 0);
}

/** The number of an instance's pictures and their bytes; an incomplete picture counts with its whole size. */
export async function usageOfInstance(tx: Store, instanceID: string): Promise<{ pictures: number; bytes: number }> {
  const row = await tx.row<{ pictures: number; bytes: number | string | null }>(
    'SELECT COUNT(*) AS pictures, SUM(bytes) AS bytes FROM evidence WHERE instance_id = ?',
    [instanceID],
  );
  return { pictures: row?.pictures ?? 0, bytes: Number(row?.bytes ?? 0) };
}

/**
 * Inserts the row of a new picture and adds its whole size to the usage, which the caller has locked; the caller adds the
 * first part. Throws on a duplicate.
 */
export async function insertEvidence(
  tx: Store,
  { evidenceID, instanceID, fence, mediaType, bytes }: Omit<EvidenceFrame, 'type' | 'data' | 'part'>,
  { process_id: processID, company_id: companyID }: PictureInstance,
): Promise<void> {
  await tx.write(
    `INSERT INTO evidence (evidence_id, instance_id, fence, process_id, company_id, media_type, bytes, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(3))`,
    [evidenceID, instanceID, fence, processID, companyID, mediaType, bytes],
  );
  await tx.write('UPDATE evidence_usage SET bytes = bytes + ? WHERE company_id = ?', [bytes, companyID]);
}

/** Adds the write of a part to the commit. */
export function writePart(
  tx: Store,
  evidenceID: string,
  { part, content, complete }: { part: number; content: Buffer; complete: boolean },
): void {
  tx.atCommit('INSERT INTO evidence_part (evidence_id, part, content) VALUES (?, ?, ?)', [evidenceID, part, content]);
  tx.atCommit('UPDATE evidence SET parts = ?, complete = ? WHERE evidence_id = ?', [part, complete, evidenceID]);
}

/**
 * Deletes the row of a picture with its parts in the database, and subtracts its bytes from the usage of the company.
 * False when the row no longer exists, or names another location by now.
 */
export async function deleteEvidence(tx: Store, { evidence_id: id, location }: LocatedEvidence): Promise<boolean> {
  const row = await lockEvidence(tx, id);
  if (row?.location !== location) return false;
  tx.atCommit('DELETE FROM evidence_part WHERE evidence_id = ?', [id]);
  tx.atCommit('DELETE FROM evidence WHERE evidence_id = ?', [id]);
  tx.atCommit('UPDATE evidence_usage SET bytes = bytes - ? WHERE company_id = ?', [row.bytes, row.company_id]);
  return true;
}

/** Records that a picture is in a bucket now, and deletes its parts. False when the row is gone or no longer names the database. */
export async function moveToLocation(tx: Store, evidenceID: string, location: string): Promise<boolean> {
  const { affectedRows } = await tx.write(
    `UPDATE evidence SET location = ? WHERE evidence_id = ? AND location = '' AND complete = 1`,
    [location, evidenceID],
  );
  if (affectedRows === 0) return false;
  await tx.write('DELETE FROM evidence_part WHERE evidence_id = ?', [evidenceID]);
  return true;
}
