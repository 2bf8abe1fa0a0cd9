import { createHash } from 'node:crypto';
import type { StartReply, StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';

const WINDOW_HOURS = 24;
const LIVE = `created_at > UTC_TIMESTAMP(3) - INTERVAL ${WINDOW_HOURS} HOUR`;

/** SHA-256 of scope and key: what the caller chose is never stored, and the column has one length. */
export function keyHash({ scope, key }: { scope: string; key: string }): Buffer {
  return sha256(`${scope}\n${key}`);
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
 * The answers to replay, by instance id of the request, for those whose key was accepted in the last 24 hours (spec 4.8
 * rule 6). A key that another transaction is writing now is not seen, and `writeKeys` will fail; `waiting` awaits its end.
 */
export async function findReplays(
  tx: Store,
  requests: StartRequest[],
  { waiting = false }: { waiting?: boolean } = {},
): Promise<Replays> {
  const keyed = withKeys(requests);
  if (keyed.length === 0) return { replays: new Map(), expired: [] };
  const rows = await tx.rows<KeyRow>(
    `SELECT key_hash, instance_id, status, body_hash, ${LIVE} AS live FROM idempotency_key WHERE key_hash IN (?)
      ${waiting ? 'LOCK IN SHARE MODE' : ''}`,
    [keyed.map(({ hash }) => hash)],
  );
  const winners = new Map(rows.filter(({ live }) => live === 1).map((row) => [row.key_hash.toString('hex'), row]));
  const replays = keyed.flatMap(({ request, hash, body }): [string, StartReply][] => {
    const winner = winners.get(hash.toString('hex'));
    if (!winner || winner.instance_id === request.instanceID) return [];
    return [[request.instanceID, replay(winner, body)]];
  });
  return { replays: new Map(replays), expired: rows.filter(({ live }) => live === 0).map((row) => row.key_hash) };
}

/**
 * Leaves the keys of accepted starts for the commit; only those are remembered (reading 20). It waits for a twin that is
 * being accepted elsewhere and then fails as a duplicate: asked again, `findReplays` sees the twin.
 */
export function writeKeys(
  tx: Store,
  accepted: { request: StartRequest; status: 'started' | 'queued' }[],
  expired: Buffer[],
): void {
  const statuses = new Map(accepted.map(({ request, status }) => [request.instanceID, status]));
  const keyed = withKeys(accepted.map(({ request }) => request));
  if (keyed.length === 0) return;
  if (expired.length > 0) {
    tx.atCommit(`DELETE FROM idempotency_key WHERE key_hash IN (?) AND NOT (${LIVE})`, [expired]);
  }
  tx.atCommit(
    `INSERT INTO idempotency_key (key_hash, instance_id, status, body_hash, created_at)
          VALUES ${keyed.map(() => '(?, ?, ?, ?, UTC_TIMESTAMP(3))').join(', ')}`,
    keyed.flatMap(({ request: { instanceID }, hash, body }) => [hash, instanceID, statuses.get(instanceID), body]),
  );
}

/** Sorted, so that two batches with the same keys lock them in the same order. */
function withKeys(requests: StartRequest[]): { request: StartRequest; hash: Buffer; body: Buffer }[] {
  return requests
    .flatMap((request) =>
      request.idempotency
        ? [{ request, hash: keyHash(request.idempotency), body: sha256(request.idempotency.body) }]
        : [],
    )
    .toSorted((a, b) => Buffer.compare(a.hash, b.hash));
}

function replay(winner: KeyRow, body: Buffer): StartReply {
  const mismatch = winner.body_hash.equals(body) ? {} : { mismatch: true as const };
  return { instanceID: winner.instance_id, status: winner.status, replayed: true, ...mismatch };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
