import type { ResponseMode } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import type { UrlKind } from './sealed-columns';

export interface OriginRow {
  origin_id: string;
  process_id: string;
  name: string;
  response_mode: ResponseMode;
  /** Used in the mode `Aguardar` only. */
  wait_seconds: number;
  /** 0 = calls of both URLs are refused. */
  enabled: number;
  /** The sealed rule with its secret; null when calls need no signature. */
  signature: Buffer | null;
  created_at: Date;
  /** The sealed token of the current development URL. */
  dev_sealed: Buffer;
  prod_sealed: Buffer;
}

/** The columns of an origin that a caller of the management API sets. */
export type OriginColumns = Pick<OriginRow, 'name' | 'response_mode' | 'wait_seconds' | 'signature'> & {
  enabled: boolean;
};

export interface TokenRow {
  originID: string;
  kind: UrlKind;
  /** The SHA-256 of the token, by which calls are found. */
  hash: Buffer;
  /** The encrypted token, so that the console can show it again. */
  sealed: Buffer;
}

// Each origin has exactly one token of each kind that is not revoked.
const SELECT_ORIGIN = `SELECT o.origin_id, o.process_id, o.name, o.response_mode, o.wait_seconds, o.enabled, o.signature,
         o.created_at, dev.sealed AS dev_sealed, prod.sealed AS prod_sealed
    FROM origin o
    JOIN origin_token dev ON dev.origin_id = o.origin_id AND dev.kind = 'dev' AND dev.revoked_at IS NULL
    JOIN origin_token prod ON prod.origin_id = o.origin_id AND prod.kind = 'prod' AND prod.revoked_at IS NULL`;

/** Oldest first. */
export function findOriginsOfProcess(store: Store, processID: string): Promise<OriginRow[]> {
  return store.rows<OriginRow>(`${SELECT_ORIGIN} WHERE o.process_id = ? ORDER BY o.created_at, o.origin_id`, [
    processID,
  ]);
}

export function findOrigin(store: Store, id: string): Promise<OriginRow | undefined> {
  return store.row<OriginRow>(`${SELECT_ORIGIN} WHERE o.origin_id = ?`, [id]);
}

export function findOriginOfCapture(store: Store, captureID: string): Promise<OriginRow | undefined> {
  const captured = '(SELECT origin_id FROM capture WHERE capture_id = ?)';
  return store.row<OriginRow>(`${SELECT_ORIGIN} WHERE o.origin_id = ${captured}`, [captureID]);
}

/**
 * Locks an origin: until the transaction ends, no other transaction changes the origin, its mapping or its captures; captures may be deleted
 * meanwhile. Throws NOT_FOUND.
 */
export async function lockOrigin(tx: Store, id: string): Promise<void> {
  const found = await tx.row('SELECT 1 AS found FROM origin WHERE origin_id = ? FOR UPDATE', [id]);
  if (!found) throw noSuchOrigin();
}

/** The company that owns the process. Throws PROCESS_NOT_FOUND. */
export async function companyOf(tx: Store, processID: string): Promise<string> {
  const row = await tx.row<{ company_id: string }>('SELECT company_id FROM process WHERE process_id = ?', [processID]);
  if (!row) throw new ApiError('PROCESS_NOT_FOUND');
  return row.company_id;
}

/** The fields that all audit events of an origin have in common. Throws NOT_FOUND. */
export async function auditFieldsOf(tx: Store, id: string) {
  const row = await tx.row<{ process_id: string; name: string; company_id: string | null }>(
    `SELECT o.process_id, o.name, p.company_id FROM origin o LEFT JOIN process p ON p.process_id = o.process_id
      WHERE o.origin_id = ?`,
    [id],
  );
  if (!row) throw noSuchOrigin();
  return { objectID: id, companyID: row.company_id, processID: row.process_id, detail: { name: row.name } };
}

/** The process of an origin. Throws NOT_FOUND. */
export async function processOf(tx: Store, id: string): Promise<string> {
  const row = await tx.row<{ process_id: string }>('SELECT process_id FROM origin WHERE origin_id = ?', [id]);
  if (!row) throw noSuchOrigin();
  return row.process_id;
}

/** Locks the origins of the process and returns their ids in ascending order; waits for transactions that are adding one. */
export async function lockOriginIDs(tx: Store, processID: string): Promise<string[]> {
  const rows = await tx.rows<{ origin_id: string }>('SELECT origin_id FROM origin WHERE process_id = ? FOR UPDATE', [
    processID,
  ]);
  return rows.map(({ origin_id }) => origin_id).toSorted();
}

/** Inserts an origin with an empty mapping and without tokens. */
export async function insertOrigin(tx: Store, id: string, processID: string, columns: OriginColumns): Promise<void> {
  await tx.write(
    `INSERT INTO origin (origin_id, process_id, mapping_saved, created_at, ${Object.keys(columns).join(', ')})
       VALUES (?, ?, '[]', UTC_TIMESTAMP(3), ?)`,
    [id, processID, Object.values(columns)],
  );
}

/** Sets the given columns; does nothing when none is given. */
export async function changeOrigin(store: Store, id: string, columns: Partial<OriginColumns>): Promise<void> {
  const names = Object.keys(columns);
  if (names.length === 0) return;
  const assignments = names.map((name) => `${name} = ?`).join(', ');
  await store.write(`UPDATE origin SET ${assignments} WHERE origin_id = ?`, [...Object.values(columns), id]);
}

/** Adds the current URL of a kind; the one before must be revoked already. */
export async function insertToken(tx: Store, { originID, kind, hash, sealed }: TokenRow): Promise<void> {
  await tx.write(
    'INSERT INTO origin_token (token_hash, origin_id, kind, sealed, created_at) VALUES (?, ?, ?, ?, UTC_TIMESTAMP(3))',
    [hash, originID, kind, sealed],
  );
}

/** Maximum number of revoked URLs of each kind that an origin keeps (contract, interpretation 23). */
const MAX_REVOKED_TOKENS = 100;
/** Maximum number of revoked URLs that one rotation deletes: an earlier release kept all of them. */
const MAX_DELETED_TOKENS = 1_000;

/**
 * Revokes the current URL; its row stays, so that calls of it are refused as rotated and not as unknown. Deletes the oldest revoked URLs
 * beyond the limit.
 */
export async function revokeToken(tx: Store, originID: string, kind: UrlKind): Promise<void> {
  await tx.write(
    `UPDATE origin_token SET revoked_at = UTC_TIMESTAMP(3), sealed = NULL
      WHERE origin_id = ? AND kind = ? AND revoked_at IS NULL`,
    [originID, kind],
  );
  const oldest = await tx.rows<{ token_hash: Buffer }>(
    `SELECT token_hash FROM origin_token WHERE origin_id = ? AND kind = ? AND revoked_at IS NOT NULL
      ORDER BY revoked_at DESC, token_hash LIMIT ? OFFSET ?`,
    [originID, kind, MAX_DELETED_TOKENS, MAX_REVOKED_TOKENS],
  );
  if (oldest.length === 0) return;
  await tx.write('DELETE FROM origin_token WHERE token_hash IN (?)', [oldest.map(({ token_hash }) => token_hash)]);
}

/**
 * Removes the origin with both URLs, its mapping and its captures (contract 5 rule 6). Revoked tokens are removed too: their
 * URLs are unknown from now on. Throws NOT_FOUND.
 */
export async function removeOrigin(store: Store, id: string): Promise<void> {
  await store.transaction(async (tx) => {
    // The lock comes first, so that no capture is stored after the captures were deleted.
    await lockOrigin(tx, id);
    await tx.write('DELETE FROM origin_token WHERE origin_id = ?', [id]);
    await tx.write('DELETE FROM capture WHERE origin_id = ?', [id]);
    await tx.write('DELETE FROM origin WHERE origin_id = ?', [id]);
  });
}

export function noSuchOrigin(): ApiError {
  return new ApiError('NOT_FOUND', 'No such webhook origin.');
}
