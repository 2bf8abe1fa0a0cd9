import { createHash } from 'node:crypto';
import type { StartReply, StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';

const WINDOW_HOURS = 24;

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
export async function claimKeys(tx: Store, requests: StartRequest[], now: Date): Promise<Map<string, StartReply>> {
  const keyed = requests.flatMap((request) =>
    request.idempotency
      ? [{ request, hash: keyHash(request.idempotency), body: sha256(request.idempotency.body) }]
      : [],
  );
  if (keyed.length === 0) return new Map();
  // Sorted, so that two batches with the same keys lock them in the same order.
  const sorted = keyed.toSorted((a, b) => Buffer.compare(a.hash, b.hash));
  const expired = new Date(now.getTime() - WINDOW_HOURS * 3_600_000);
  await tx.write(
    `INSERT INTO idempotency_key (key_hash, instance_id, status, body_hash, created_at) VALUES ?
         ON DUPLICATE KEY UPDATE instance_id = IF(created_at <= ?, VALUES(instance_id), instance_id),
                                 status = IF(created_at <= ?, VALUES(status), status),
                                 body_hash = IF(created_at <= ?, VALUES(body_hash), body_hash),
                                 created_at = IF(created_at <= ?, VALUES(created_at), created_at)`,
    [
      sorted.map(({ request, hash, body }) => [hash, request.instanceID, 'started', body, now]),
      expired,
      expired,
      expired,
      expired,
    ],
  );
  const rows = await tx.rows<KeyRow>(
    'SELECT key_hash, instance_id, status, body_hash FROM idempotency_key WHERE key_hash IN (?)',
    [sorted.map(({ hash }) => hash)],
  );
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
export async function settleKeys(
  tx: Store,
  accepted: { request: StartRequest; status: 'started' | 'queued' }[],
  refused: StartRequest[],
): Promise<void> {
  const gone = refused.flatMap(({ idempotency }) => (idempotency ? [keyHash(idempotency)] : []));
  if (gone.length > 0) await tx.write('DELETE FROM idempotency_key WHERE key_hash IN (?)', [inOrder(gone)]);
  const queued = accepted.flatMap(({ request, status }) =>
    request.idempotency && status === 'queued' ? [keyHash(request.idempotency)] : [],
  );
  if (queued.length > 0) {
    await tx.write("UPDATE idempotency_key SET status = 'queued' WHERE key_hash IN (?)", [inOrder(queued)]);
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
