import { createHash } from 'node:crypto';
import type { StartReply, StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';

const WINDOW_HOURS = 24;
const LIVE = `created_at > UTC_TIMESTAMP(3) - INTERVAL ${WINDOW_HOURS} HOUR`;

/** SHA-256 of scope and key, and of the body: what the caller chose is never stored, and the columns have one length. */
export interface StartKey {
  instanceID: string;
  hash: Buffer;
  body: Buffer;
}

export function startKey({ instanceID, idempotency }: StartRequest): StartKey | undefined {
  if (!idempotency) return undefined;
  const { scope, key, body } = idempotency;
  return { instanceID, hash: sha256(`${scope}\n${key}`), body: sha256(body) };
}

interface KeyRow {
  key_hash: Buffer;
  live: number;
  instance_id: string;
  status: 'started' | 'queued';
  body_hash: Buffer;
}

/** What the keys of a batch say. */
export interface Replays {
  /** The answer, by instance id of the request, for those that came second. */
  replays: Map<string, StartReply>;
  /** Keys whose 24 hours are over, in order. */
  expired: Buffer[];
}

/**
 * The answers to replay, by instance id of the request, for those whose key was accepted in the last 24 hours (contract 4.8
 * rule 6). A key that another transaction is writing now is not seen, and `writeKeys` will fail; `waiting` awaits its end.
 */
export async function findReplays(
  tx: Store,
  keys: StartKey[],
  { waiting = false }: { waiting?: boolean } = {},
): Promise<Replays> {
  if (keys.length === 0) return { replays: new Map(), expired: [] };
  const rows = await tx.rows<KeyRow>(
    `SELECT key_hash, instance_id, status, body_hash, ${LIVE} AS live FROM idempotency_key WHERE key_hash IN (?)
      ${waiting ? 'LOCK IN SHARE MODE' : ''}`,
    [inLockOrder(keys).map(({ hash }) => hash)],
  );
  if (rows.length === 0) return { replays: new Map(), expired: [] };
  const winners = new Map(rows.filter(({ live }) => live === 1).map((row) => [row.key_hash.toString('hex'), row]));
  const replays = keys.flatMap(({ instanceID, hash, body }): [string, StartReply][] => {
    const winner = winners.get(hash.toString('hex'));
    return winner && winner.instance_id !== instanceID ? [[instanceID, replay(winner, body)]] : [];
  });
  return { replays: new Map(replays), expired: rows.filter(({ live }) => live === 0).map((row) => row.key_hash) };
}

/**
 * Leaves the keys of accepted starts, those with a status, for the commit; only those are remembered (interpretation 20). It waits for
 * a twin that is being accepted elsewhere and then fails as a duplicate: asked again, `findReplays` sees the twin.
 */
export function writeKeys(
  tx: Store,
  keys: StartKey[],
  statuses: ReadonlyMap<string, 'started' | 'queued'>,
  expired: Buffer[],
): void {
  const spent = inLockOrder(keys.filter(({ instanceID }) => statuses.has(instanceID)));
  if (spent.length === 0) return;
  if (expired.length > 0) {
    tx.atCommit(`DELETE FROM idempotency_key WHERE key_hash IN (?) AND NOT (${LIVE})`, [expired]);
  }
  tx.atCommit(
    `INSERT INTO idempotency_key (key_hash, instance_id, status, body_hash, created_at)
          VALUES ${spent.map(() => '(?, ?, ?, ?, UTC_TIMESTAMP(3))').join(', ')}`,
    spent.flatMap(({ instanceID, hash, body }) => [hash, instanceID, statuses.get(instanceID), body]),
  );
}

/** Two batches with the same keys lock them in the same order. */
function inLockOrder(keys: StartKey[]): StartKey[] {
  return keys.toSorted((a, b) => Buffer.compare(a.hash, b.hash));
}

function replay(winner: KeyRow, body: Buffer): StartReply {
  const mismatch = winner.body_hash.equals(body) ? {} : { mismatch: true as const };
  return { instanceID: winner.instance_id, status: winner.status, replayed: true, ...mismatch };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
