import { PERMIT_LEASE_SECONDS, type PermitRenewal, type PermitRequest } from '@batuta/contracts';
import { deleteInBites, Store } from '@batuta/database';
import { faultPoint } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import { permitsToLease, type HeldPermits } from './leasable-permits';
import { PermitMetrics } from './permit.metrics';

const IS_EXPIRED = 'lease_until <= UTC_TIMESTAMP(3)';
/** The duration of a lease; tests lengthen it. */
export const PERMIT_LEASE = { seconds: PERMIT_LEASE_SECONDS };
const leaseEnd = () => `UTC_TIMESTAMP(3) + INTERVAL ${PERMIT_LEASE.seconds} SECOND`;

/**
 * Leases permits for waiting calls to gateway replicas: WAITING_CALLS for each process, over all replicas (contract 8,
 * interpretation 29). A row of `waiting_call` is the lease of one holder for one process.
 */
@Injectable()
export class PermitService {
  constructor(
    private readonly store: Store,
    private readonly metrics: PermitMetrics,
    @Inject(WEBHOOK_CONFIG) private readonly config: WebhookConfig,
  ) {}

  /**
   * Leases permits to a gateway replica. Returns how many were added: at most `want` and what WAITING_CALLS leaves; 0 for a process without an
   * origin, and for a request older than the holder's last one. Renews the lease if it adds any.
   */
  async acquire(request: PermitRequest): Promise<number> {
    const leased = await this.store.transaction((tx) => this.leasePermits(tx, request));
    faultPoint('webhook:after-wait');
    this.metrics.countRequested(request.want, leased);
    return leased;
  }

  /**
   * Reduces the holder's permits to the given counts and renews their lease. Returns the processes whose lease was not renewed, because it has
   * ended or has fewer permits than the count: the holder has lost all its permits of these.
   */
  async renew({ holder, turn, places }: PermitRenewal): Promise<string[]> {
    const kept = places.filter(({ count }) => count > 0).map(({ processID }) => processID);
    const renewed = await this.store.transaction(async (tx) => {
      const writes = [...byCount(places)].map(([count, processIDs]) =>
        renewLeases(tx, { holder, turn, count, processIDs }),
      );
      const [rows] = await Promise.all([kept.length > 0 ? findRenewed(tx, kept, holder, turn) : [], ...writes]);
      return new Set(rows.map(({ process_id }) => process_id));
    });
    return kept.filter((processID) => !renewed.has(processID));
  }

  /** Deletes expired leases, which no query counts any longer. Returns their number. */
  removeExpired(): Promise<number> {
    return deleteInBites(this.store, `DELETE FROM waiting_call WHERE ${IS_EXPIRED} ORDER BY lease_until LIMIT ?`, []);
  }

  private async leasePermits(tx: Store, request: PermitRequest): Promise<number> {
    const { holder, turn, processID } = request;
    const [origins, held] = await Promise.all([
      // This lock serializes the requests for the process: each sees the permits that earlier requests have leased.
      tx.rows('SELECT origin_id FROM origin WHERE process_id = ? ORDER BY origin_id FOR UPDATE', [processID]),
      // This read waits for renewals that are not committed yet.
      tx.rows<HeldPermits & { expired: number }>(
        `SELECT holder, places, turn, ${IS_EXPIRED} AS expired FROM waiting_call WHERE process_id = ? FOR UPDATE`,
        [processID],
      ),
    ]);
    if (origins.length === 0) return 0;
    const unexpired = held.filter(({ expired }) => !expired);
    const leased = permitsToLease(request, unexpired, this.config.WAITING_CALLS);
    if (leased === 0) return 0;
    // A renewal that waits for these locks must not find an expired lease whose permits were leased again.
    if (unexpired.length < held.length) {
      tx.atCommit(`DELETE FROM waiting_call WHERE process_id = ? AND ${IS_EXPIRED}`, [processID]);
    }
    const own = unexpired.find((one) => one.holder === holder)?.places ?? 0;
    tx.atCommit(
      `INSERT INTO waiting_call (process_id, holder, places, turn, lease_until) VALUES (?, ?, ?, ?, ${leaseEnd()})
         ON DUPLICATE KEY UPDATE places = VALUES(places), turn = VALUES(turn), lease_until = VALUES(lease_until)`,
      [processID, holder, own + leased, turn],
    );
    return leased;
  }
}

function byCount(places: PermitRenewal['places']): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const { processID, count } of places) {
    const group = groups.get(count);
    if (group) group.push(processID);
    else groups.set(count, [processID]);
  }
  return groups;
}

interface LeaseRenewal {
  holder: string;
  turn: number;
  count: number;
  processIDs: string[];
}

/** A lease of fewer permits than `count` is not renewed: the missing ones may already belong to another holder. */
async function renewLeases(tx: Store, { holder, turn, count, processIDs }: LeaseRenewal): Promise<void> {
  const own = 'process_id IN (?) AND holder = ? AND turn < ?';
  if (count === 0) {
    await tx.write(`DELETE FROM waiting_call WHERE ${own}`, [processIDs, holder, turn]);
    return;
  }
  await tx.write(
    `UPDATE waiting_call SET places = ?, turn = ?, lease_until = ${leaseEnd()}
      WHERE ${own} AND places >= ? AND lease_until > UTC_TIMESTAMP(3)`,
    [count, turn, processIDs, holder, turn, count],
  );
}

/** The processes whose lease has this turn, which means that this renewal changed it. */
function findRenewed(tx: Store, processIDs: string[], holder: string, turn: number): Promise<{ process_id: string }[]> {
  const sql = 'SELECT process_id FROM waiting_call WHERE process_id IN (?) AND holder = ? AND turn = ?';
  return tx.rows(sql, [processIDs, holder, turn]);
}
