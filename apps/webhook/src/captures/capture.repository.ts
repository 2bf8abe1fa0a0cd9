import type { CaptureSummary } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { toStoredPayload, type PayloadRow } from '../masking/redaction';
import type { StoredPayload } from '../masking/stored-payload';

interface SummaryRow {
  capture_id: string;
  origin_id: string;
  process_id: string;
  captured_at: Date;
  bytes: number;
  truncated: number;
}

/** As a row has it, the payload may show what has become a secret since the capture was stored. */
export interface StoredCapture {
  summary: CaptureSummary;
  payload: StoredPayload;
}

const SUMMARY_COLUMNS = 'c.capture_id, c.origin_id, o.process_id, c.captured_at, c.bytes, c.truncated';

/** The captures of an origin, newest first. */
export async function findCapturesOfOrigin(store: Store, originID: string): Promise<CaptureSummary[]> {
  const rows = await store.rows<SummaryRow>(
    `SELECT ${SUMMARY_COLUMNS} FROM capture c JOIN origin o ON o.origin_id = c.origin_id
      WHERE c.origin_id = ? ORDER BY c.captured_at DESC, c.capture_id DESC`,
    [originID],
  );
  return rows.map(toSummary);
}

/** Undefined for an unknown id. */
export async function findCapture(store: Store, captureID: string): Promise<StoredCapture | undefined> {
  const row = await store.row<SummaryRow & PayloadRow>(
    `SELECT ${SUMMARY_COLUMNS}, c.body, c.query, c.headers FROM capture c JOIN origin o ON o.origin_id = c.origin_id WHERE c.capture_id = ?`,
    [captureID],
  );
  return row && { summary: toSummary(row), payload: toStoredPayload(row) };
}

/** Deletes a capture; returns false when there is none with this id. */
export async function deleteCapture(store: Store, captureID: string): Promise<boolean> {
  return (await store.write('DELETE FROM capture WHERE capture_id = ?', [captureID])).affectedRows === 1;
}

/** Deletes all captures of an origin; returns their number. */
export async function deleteCapturesOfOrigin(store: Store, originID: string): Promise<number> {
  return (await store.write('DELETE FROM capture WHERE origin_id = ?', [originID])).affectedRows;
}

function toSummary(row: SummaryRow): CaptureSummary {
  return {
    id: row.capture_id,
    originID: row.origin_id,
    processID: row.process_id,
    capturedAt: row.captured_at.toISOString(),
    bytes: row.bytes,
    truncated: row.truncated === 1,
  };
}
