import type { Mapping } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { findSecretPointers } from './secret-pointers';
import { redactPayload, type StoredPayload } from './stored-payload';

/** A payload in the columns of table `capture`. */
export interface PayloadRow {
  truncated: number;
  body: string;
  query: string;
  headers: string;
}

/** Overwrites, in all stored captures of an origin, the values that its mappings map to a Secreto (contract 2.10). */
export async function redactCaptures(
  tx: Store,
  mapping: Mapping & { originID: string; processID: string },
): Promise<void> {
  const pointers = await findSecretPointers(tx, mapping);
  if (pointers.length === 0) return;
  const rows = await tx.rows<PayloadRow & { capture_id: string }>(
    'SELECT capture_id, truncated, body, query, headers FROM capture WHERE origin_id = ? FOR UPDATE',
    [mapping.originID],
  );
  for (const row of rows) {
    const { body, query, headers } = redactPayload(toStoredPayload(row), pointers);
    await tx.write('UPDATE capture SET body = ?, query = ?, headers = ? WHERE capture_id = ?', [
      body,
      query,
      JSON.stringify(headers),
      row.capture_id,
    ]);
  }
}

export function toStoredPayload({ truncated, body, query, headers }: PayloadRow): StoredPayload {
  const fields: Record<string, string> = JSON.parse(headers);
  return { truncated: truncated === 1, body, query, headers: fields };
}
