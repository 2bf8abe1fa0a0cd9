import type { Store } from '@batuta/database';
import type { LocatedEvidence } from './evidence.repository';

// Lists of pictures for sweeps. FORCE INDEX names an index where the optimizer's choice changes with the statistics.

/** Complete pictures in the database whose ids are greater than `after`. */
export function completePicturesInDatabase(
  store: Store,
  after: string,
  limit: number,
): Promise<{ evidence_id: string; bytes: number }[]> {
  return store.rows(
    `SELECT evidence_id, bytes FROM evidence FORCE INDEX (evidence_location)
      WHERE location = '' AND evidence_id > ? AND complete = 1 ORDER BY evidence_id LIMIT ?`,
    [after, limit],
  );
}

/** Uploads that began more than `minutes` ago and have not become complete, oldest first. */
export function abandonedUploads(store: Store, minutes: number, limit: number): Promise<LocatedEvidence[]> {
  return store.rows<LocatedEvidence>(
    `SELECT evidence_id, location FROM evidence FORCE INDEX (evidence_upload)
      WHERE complete = 0 AND created_at < UTC_TIMESTAMP(3) - INTERVAL ? MINUTE ORDER BY created_at LIMIT ?`,
    [minutes, limit],
  );
}

/** Pictures of a process that was deleted; none while it exists. */
export function picturesOfDeletedProcess(store: Store, processID: string, limit: number): Promise<LocatedEvidence[]> {
  return store.rows<LocatedEvidence>(
    `SELECT e.evidence_id, e.location FROM evidence e LEFT JOIN process p ON p.process_id = e.process_id
      WHERE e.process_id = ? AND p.process_id IS NULL LIMIT ?`,
    [processID, limit],
  );
}

/** The pictures after an id. `orphaned` = 1 when their process or their instance was deleted. */
export function pageOfPictures(
  store: Store,
  after: string,
  limit: number,
): Promise<(LocatedEvidence & { orphaned: number })[]> {
  return store.rows(
    `SELECT e.evidence_id, e.location, p.process_id IS NULL OR i.instance_id IS NULL AS orphaned FROM evidence e
       LEFT JOIN process p ON p.process_id = e.process_id
       LEFT JOIN instance i ON i.instance_id = e.instance_id
      WHERE e.evidence_id > ? ORDER BY e.evidence_id LIMIT ?`,
    [after, limit],
  );
}

/** The rows of these pictures, complete or not; an id without a row is missing. */
export function locationsOf(store: Store, evidenceIDs: string[]): Promise<LocatedEvidence[]> {
  if (evidenceIDs.length === 0) return Promise.resolve([]);
  return store.rows<LocatedEvidence>('SELECT evidence_id, location FROM evidence WHERE evidence_id IN (?)', [
    evidenceIDs,
  ]);
}

/**
 * The ids, greater than `after` and at most `last`, of the complete pictures at a location: '' = the database, `s3://<bucket>/<prefix>` = a
 * bucket.
 */
export async function completePicturesAt(
  store: Store,
  location: string,
  { after, last, limit }: { after: string; last: string; limit: number },
): Promise<string[]> {
  const rows = await store.rows<{ evidence_id: string }>(
    `SELECT evidence_id FROM evidence FORCE INDEX (evidence_location)
      WHERE location = ? AND evidence_id > ? AND evidence_id <= ? AND complete = 1 ORDER BY evidence_id LIMIT ?`,
    [location, after, last, limit],
  );
  return rows.map((row) => row.evidence_id);
}
