import { createHash } from 'node:crypto';
import type { StartReply, StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import type { KeyRing } from '@batuta/secrets';
import type { AcceptedAs } from './decision';

const KEY_LIFETIME_HOURS = 24;
const IS_UNEXPIRED = `created_at > UTC_TIMESTAMP(3) - INTERVAL ${KEY_LIFETIME_HOURS} HOUR`;

/**
 * An idempotency key as it is stored: the SHA-256 of scope and key, and an HMAC of the body. Nothing that the caller
 * chose is stored, and the columns have a fixed length. The body needs an HMAC, because a plain hash of a short Secreto
 * could be guessed.
 */
export interface StoredIdempotencyKey {
  /** The instance that this request would start. */
  instanceID: string;
  hash: Buffer;
  bodyHash: Buffer;
  /** Id of the key of SECRET_KEYS that made `bodyHash`; the setting must have this key until the row expires. */
  keyID: string;
  /** True when the stored hash was made of this body. */
  isOfBody: (stored: Buffer) => boolean;
}

export function storedIdempotencyKeyOf(
  { instanceID, idempotency }: StartRequest,
  keys: KeyRing,
): StoredIdempotencyKey | undefined {
  if (!idempotency) return undefined;
  const { scope, key, body } = idempotency;
  const hash = sha256(`${scope}\n${key}`);
  const context = `idempotency:${hash.toString('hex')}`;
  return {
    instanceID,
    hash,
    bodyHash: keys.mac(body, context),
    keyID: keys.sealingID,
    // The previous release stored the SHA-256 of the body instead of an HMAC, and its rows are valid for 24 hours.
    isOfBody: (stored) => keys.isMac(stored, body, context) || stored.equals(sha256(body)),
  };
}

interface IdempotencyKeyRow {
  key_hash: Buffer;
  live: number;
  instance_id: string;
  status: AcceptedAs;
  body_hash: Buffer;
}

export interface KeyMatches {
  /** Replies of earlier starts that used the same key, by the instance id of the new request; with `mismatch` if their body was another one. */
  replays: Map<string, StartReply>;
  /** Hashes of keys older than 24 hours, in lock order. */
  expired: Buffer[];
}

/**
 * Finds the starts that used these keys in the last 24 hours (contract 4.8 rule 6), and the keys that are older. A key that another transaction
 * is writing is not seen, and `writeKeys` fails as a duplicate once that transaction has committed; with `waiting` the read waits until that
 * transaction ends.
 */
export async function findKeyMatches(
  tx: Store,
  keys: StoredIdempotencyKey[],
  { waiting = false }: { waiting?: boolean } = {},
): Promise<KeyMatches> {
  if (keys.length === 0) return { replays: new Map(), expired: [] };
  const rows = await tx.rows<IdempotencyKeyRow>(
    `SELECT key_hash, instance_id, status, body_hash, ${IS_UNEXPIRED} AS live FROM idempotency_key WHERE key_hash IN (?)
      ${waiting ? 'LOCK IN SHARE MODE' : ''}`,
    [inLockOrder(keys).map(({ hash }) => hash)],
  );
  if (rows.length === 0) return { replays: new Map(), expired: [] };
  const used = new Map(rows.filter(({ live }) => live === 1).map((row) => [row.key_hash.toString('hex'), row]));
  const replays = keys.flatMap(({ instanceID, hash, isOfBody }): [string, StartReply][] => {
    const row = used.get(hash.toString('hex'));
    return row && row.instance_id !== instanceID ? [[instanceID, replayReply(row, isOfBody(row.body_hash))]] : [];
  });
  return { replays: new Map(replays), expired: rows.filter(({ live }) => live === 0).map((row) => row.key_hash) };
}

/**
 * Writes the keys of accepted starts with the commit; a refused start does not spend its key (interpretation 20). The statement waits for another
 * transaction that is writing the same key, and fails as a duplicate if that one commits; after a retry `findKeyMatches` sees that key.
 */
export function writeKeys(
  tx: Store,
  keys: StoredIdempotencyKey[],
  statuses: ReadonlyMap<string, AcceptedAs>,
  expired: Buffer[],
): void {
  const spent = inLockOrder(keys.filter(({ instanceID }) => statuses.has(instanceID)));
  if (spent.length === 0) return;
  if (expired.length > 0) {
    tx.atCommit(`DELETE FROM idempotency_key WHERE key_hash IN (?) AND NOT (${IS_UNEXPIRED})`, [expired]);
  }
  tx.atCommit(
    `INSERT INTO idempotency_key (key_hash, instance_id, status, body_hash, key_id, created_at)
          VALUES ${spent.map(() => '(?, ?, ?, ?, ?, UTC_TIMESTAMP(3))').join(', ')}`,
    spent.flatMap(({ instanceID, hash, bodyHash, keyID }) => [
      hash,
      instanceID,
      statuses.get(instanceID),
      bodyHash,
      keyID,
    ]),
  );
}

/** Sorts keys, so that two batches with common keys lock them in the same order and cannot deadlock. */
function inLockOrder(keys: StoredIdempotencyKey[]): StoredIdempotencyKey[] {
  return keys.toSorted((a, b) => Buffer.compare(a.hash, b.hash));
}

function replayReply(row: IdempotencyKeyRow, isSameBody: boolean): StartReply {
  const mismatch = isSameBody ? {} : { mismatch: true as const };
  return { instanceID: row.instance_id, status: row.status, replayed: true, ...mismatch };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
