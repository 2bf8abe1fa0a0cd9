import type { CaptureSummary } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import type { StoredPayload } from '../calls/stored-payload';

interface SummaryRow {
  capture_id: string;
  origin_id: string;
  process_id: string;
  captured_at: Date;
  bytes: number;
  truncated: number;
}

interface PayloadRow {
  capture_id: string;
  truncated: number;
  body: string;
  query: string;
  headers: string;
}

export interface StoredCapture {
  summary: CaptureSummary;
  payload: StoredPayload;
}

const SUMMARY = 'c.capture_id, c.origin_id, o.process_id, c.captured_at, c.bytes, c.truncated';
const PAYLOAD = 'c.capture_id, c.truncated, c.body, c.query, c.headers';

/** Newest first. */
export async function ofOrigin(store: Store, originID: string): Promise<CaptureSummary[]> {
  const rows = await store.rows<SummaryRow>(
    `SELECT ${SUMMARY} FROM capture c JOIN origin o ON o.origin_id = c.origin_id
      WHERE c.origin_id = ? ORDER BY c.captured_at DESC, c.capture_id DESC`,
    [originID],
  );
  return rows.map(toSummary);
}

export async function find(store: Store, captureID: string): Promise<StoredCapture | undefined> {
  const row = await store.row<SummaryRow & PayloadRow>(
    `SELECT ${SUMMARY}, ${PAYLOAD} FROM capture c JOIN origin o ON o.origin_id = c.origin_id WHERE c.capture_id = ?`,
    [captureID],
  );
  return row && { summary: toSummary(row), payload: toPayload(row) };
}

/** The payloads of an origin by their ids, locked until the transaction ends. */
export async function lockPayloads(tx: Store, originID: string): Promise<Map<string, StoredPayload>> {
  const rows = await tx.rows<PayloadRow>(`SELECT ${PAYLOAD} FROM capture c WHERE c.origin_id = ? FOR UPDATE`, [
    originID,
  ]);
  return new Map(rows.map((row) => [row.capture_id, toPayload(row)]));
}

export async function replacePayload(tx: Store, captureID: string, payload: StoredPayload): Promise<void> {
  const { body, query, headers } = payload;
  await tx.write('UPDATE capture SET body = ?, query = ?, headers = ? WHERE capture_id = ?', [
    body,
    query,
    JSON.stringify(headers),
    captureID,
  ]);
}

/** False when there was none. */
export async function remove(store: Store, captureID: string): Promise<boolean> {
  return (await store.write('DELETE FROM capture WHERE capture_id = ?', [captureID])).affectedRows === 1;
}

export async function removeAll(store: Store, originID: string): Promise<number> {
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

function toPayload({ truncated, body, query, headers }: PayloadRow): StoredPayload {
  const fields: Record<string, string> = JSON.parse(headers);
  return { truncated: truncated === 1, body, query, headers: fields };
}
