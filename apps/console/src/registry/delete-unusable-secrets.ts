import type { Store } from '@batuta/database';

/**
 * Number of revoked and expired secrets that a company keeps, so that a refusal can say whether a secret was revoked or
 * has expired. Quotas do not count them.
 */
const MAX_KEPT_SECRETS = 10_000;
/**
 * Maximum number that one call deletes. Each call comes with one new secret, so the number of unusable ones shrinks while it is above
 * MAX_KEPT_SECRETS.
 */
const MAX_DELETED_SECRETS = 100;

const IS_UNUSABLE = '(t.revoked_at IS NOT NULL OR t.expires_at <= UTC_TIMESTAMP(3))';
const CREDENTIAL_TABLES = 'account a JOIN credential t ON t.account_id = a.account_id';
const PROCESS_KEY_TABLES =
  'account a JOIN process p ON p.account_id = a.account_id JOIN process_key t ON t.process_id = p.process_id';

/**
 * Keeps the MAX_KEPT_SECRETS newest of the revoked and expired credentials of a company, and deletes up to MAX_DELETED_SECRETS older ones,
 * because their number would grow without end. Each creation of a credential calls it under the lock of the company. A call of the API with a
 * deleted credential is INVALID_CREDENTIAL.
 */
export function deleteUnusableCredentials(tx: Store, companyID: string): Promise<void> {
  return deleteUnusable(tx, companyID, { from: CREDENTIAL_TABLES, table: 'credential', id: 'credential_id' });
}

/** Deletes old revoked and expired process keys of a company, like `deleteUnusableCredentials`. */
export function deleteUnusableKeys(tx: Store, companyID: string): Promise<void> {
  return deleteUnusable(tx, companyID, { from: PROCESS_KEY_TABLES, table: 'process_key', id: 'key_id' });
}

/** Newest = created last, whose id is the greatest. */
async function deleteUnusable(
  tx: Store,
  companyID: string,
  { from, table, id }: { from: string; table: string; id: string },
): Promise<void> {
  const rows = await tx.rows<{ id: string }>(
    `SELECT t.${id} AS id FROM ${from} WHERE a.company_id = ? AND ${IS_UNUSABLE}
      ORDER BY t.${id} DESC LIMIT ${MAX_DELETED_SECRETS} OFFSET ${MAX_KEPT_SECRETS}`,
    [companyID],
  );
  if (rows.length > 0) await tx.write(`DELETE FROM ${table} WHERE ${id} IN (?)`, [rows.map((row) => row.id)]);
}
