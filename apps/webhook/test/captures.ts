import type { Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';

/** Inserts a capture without masking anything. Returns its id. */
export async function addCapture(
  store: Store,
  originID: string,
  given: { body?: string; query?: string; headers?: Record<string, string>; truncated?: boolean } = {},
): Promise<string> {
  const { body = '{}', query = '', headers = {}, truncated = false } = given;
  const captureID = uuid();
  await store.write(
    `INSERT INTO capture (capture_id, origin_id, captured_at, bytes, truncated, body, query, headers)
       VALUES (?, ?, UTC_TIMESTAMP(3), ?, ?, ?, ?, ?)`,
    [captureID, originID, Buffer.byteLength(body), truncated, body, query, JSON.stringify(headers)],
  );
  return captureID;
}

/** The stored content of a capture: body, query and headers as one text. */
export async function readStoredText(store: Store, captureID: string): Promise<string> {
  const row = await store.row<Record<string, string>>('SELECT body, query, headers FROM capture WHERE capture_id = ?', [
    captureID,
  ]);
  return Object.values(row ?? {}).join('\n');
}
