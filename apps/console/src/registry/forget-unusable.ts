import type { Store } from '@batuta/database';

/** Revoked and expired secrets that a company keeps, so that a refused call says why. Quotas do not count them. */
const MAX_KEPT = 10_000;
const MAX_DELETED = 100;

const UNUSABLE = '(t.revoked_at IS NOT NULL OR t.expires_at <= UTC_TIMESTAMP(3))';
const CREDENTIALS = 'account a JOIN credential t ON t.account_id = a.account_id';
const KEYS =
  'account a JOIN process p ON p.account_id = a.account_id JOIN process_key t ON t.process_id = p.process_id';

/**
 * Deletes the oldest revoked and expired credentials of a company beyond MAX_KEPT, which would otherwise grow for ever. Each
 * creation calls it under the lock of the company. A call with a deleted one is INVALID_CREDENTIAL.
 */
export function forgetUnusableCredentials(tx: Store, companyID: string): Promise<void> {
  return deleteUnusable(tx, companyID, { from: CREDENTIALS, table: 'credential', id: 'credential_id' });
}

/** As `forgetUnusableCredentials`, for process keys. */
export function forgetUnusableKeys(tx: Store, companyID: string): Promise<void> {
  return deleteUnusable(tx, companyID, { from: KEYS, table: 'process_key', id: 'key_id' });
}

/** The order of the ids is the order of creation. */
async function deleteUnusable(
  tx: Store,
  companyID: string,
  { from, table, id }: { from: string; table: string; id: string },
): Promise<void> {
  const rows = await tx.rows<{ id: string }>(
    `SELECT t.${id} AS id FROM ${from} WHERE a.company_id = ? AND ${UNUSABLE}
      ORDER BY t.${id} DESC LIMIT ${MAX_DELETED} OFFSET ${MAX_KEPT}`,
    [companyID],
  );
  if (rows.length > 0) await tx.write(`DELETE FROM ${table} WHERE ${id} IN (?)`, [rows.map((row) => row.id)]);
}
