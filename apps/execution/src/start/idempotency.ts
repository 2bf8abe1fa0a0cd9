import { createHash } from 'node:crypto';
import type { StartReply, StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';

const WINDOW_HOURS = 24;
const EXPIRED = `created_at <= UTC_TIMESTAMP(3) - INTERVAL ${WINDOW_HOURS} HOUR`;

/** SHA-256 of scope and key: what the caller chose is never stored, and the column has one length. */
export function keyHash({ scope, key }: { scope: string; key: string }): Buffer {
  return sha256(`${scope}\n${key}`);
}

interface KeyRow {
  key_hash: Buffer;
  instance_id: string;
  status: 'started' | 'queued';
  body_hash: Buffer;
}

/**
 * Claims the keys of a batch for its instances, for 24 hours (spec 4.8 rule 6). A key that another transaction is
 * claiming makes this one wait for its end: a concurrent twin replays the winner (reading 20). Returns, by instance id
 * of the request, the answer to replay for those that came second.
 */
export async function claimKeys(tx: Store, requests: StartRequest[]): Promise<Map<string, StartReply>> {
  const keyed = requests.flatMap((request) =>
    request.idempotency
      ? [{ request, hash: keyHash(request.idempotency), body: sha256(request.idempotency.body) }]
      : [],
  );
  if (keyed.length === 0) return new Map();
  // Sorted, so that two batches with the same keys lock them in the same order.
  const sorted = keyed.toSorted((a, b) => Buffer.compare(a.hash, b.hash));
  const [, rows] = await Promise.all([
    tx.write(
      `INSERT INTO idempotency_key (key_hash, instance_id, status, body_hash, created_at)
            VALUES ${sorted.map(() => "(?, ?, 'started', ?, UTC_TIMESTAMP(3))").join(', ')}
           ON DUPLICATE KEY UPDATE instance_id = IF(${EXPIRED}, VALUES(instance_id), instance_id),
                                   status = IF(${EXPIRED}, VALUES(status), status),
                                   body_hash = IF(${EXPIRED}, VALUES(body_hash), body_hash),
                                   created_at = IF(${EXPIRED}, VALUES(created_at), created_at)`,
      sorted.flatMap(({ request, hash, body }) => [hash, request.instanceID, body]),
    ),
    tx.rows<KeyRow>('SELECT key_hash, instance_id, status, body_hash FROM idempotency_key WHERE key_hash IN (?)', [
      sorted.map(({ hash }) => hash),
    ]),
  ]);
  const winners = new Map(rows.map((row) => [row.key_hash.toString('hex'), row]));
  return new Map(
    sorted.flatMap(({ request, hash, body }) => {
      const winner = winners.get(hash.toString('hex'));
      if (!winner || winner.instance_id === request.instanceID) return [];
      return [[request.instanceID, replay(winner, body)]];
    }),
  );
}

/** Only accepted starts are remembered (reading 20); `status` is known only now. */
export function settleKeys(
  tx: Store,
  accepted: { request: StartRequest; status: 'started' | 'queued' }[],
  refused: StartRequest[],
): void {
  const gone = refused.flatMap(({ idempotency }) => (idempotency ? [keyHash(idempotency)] : []));
  if (gone.length > 0) tx.atCommit('DELETE FROM idempotency_key WHERE key_hash IN (?)', [inOrder(gone)]);
  const queued = accepted.flatMap(({ request, status }) =>
    request.idempotency && status === 'queued' ? [keyHash(request.idempotency)] : [],
  );
  if (queued.length > 0) {
    tx.atCommit("UPDATE idempotency_key SET status = 'queued' WHERE key_hash IN (?)", [inOrder(queued)]);
  }
}

function replay(winner: KeyRow, body: Buffer): StartReply {
  const mismatch = winner.body_hash.equals(body) ? {} : { mismatch: true as const };
  return { instanceID: winner.instance_id, status: winner.status, replayed: true, ...mismatch };
}

function inOrder(hashes: Buffer[]): Buffer[] {
  return hashes.toSorted((a, b) => Buffer.compare(a, b));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
