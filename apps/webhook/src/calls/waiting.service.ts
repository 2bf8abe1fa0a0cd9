import { PLACE_LEASE_SECONDS, type PlacesAsked, type PlacesKept } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { faultPoint } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import { WebhookMetrics } from '../metrics';
import { grantPlaces, type HeldPlaces } from './places';

const AT_ONCE = 500;
const EXPIRED = 'lease_until <= UTC_TIMESTAMP(3)';
const LEASE = `UTC_TIMESTAMP(3) + INTERVAL ${PLACE_LEASE_SECONDS} SECOND`;

/** Places of calls that wait for their process's answer: so many a process, over all replicas of the gateway (contract 8). */
@Injectable()
export class WaitingService {
  constructor(
    private readonly store: Store,
    private readonly metrics: WebhookMetrics,
    @Inject(WEBHOOK_CONFIG) private readonly config: WebhookConfig,
  ) {}

  /** How many of the places that the holder wants are its own now. */
  async wait(asked: PlacesAsked): Promise<number> {
    const granted = await this.store.transaction((tx) => this.take(tx, asked));
    faultPoint('webhook:after-wait');
    this.metrics.waits.inc({ granted: 'true' }, granted);
    this.metrics.waits.inc({ granted: 'false' }, asked.want - granted);
    return granted;
  }

  /** Lowers the holder's places to what it keeps, for another lease. Returns the processes whose it had lost before. */
  async keep({ holder, turn, places }: PlacesKept): Promise<string[]> {
    const kept = places.filter(({ count }) => count > 0).map(({ processID }) => processID);
    const lasting = await this.store.transaction(async (tx) => {
      const writes = [...byCount(places)].map(([count, processIDs]) => lower(tx, { holder, turn, count, processIDs }));
      const [rows] = await Promise.all([kept.length > 0 ? renewed(tx, kept, holder, turn) : [], ...writes]);
      return new Set(rows.map(({ process_id }) => process_id));
    });
    return kept.filter((processID) => !lasting.has(processID));
  }

  /** Places of holders that are gone; they count no longer in any case. */
  async removeExpired(): Promise<number> {
    const remove = (tx: Store) =>
      tx.write(`DELETE FROM waiting_call WHERE ${EXPIRED} ORDER BY lease_until LIMIT ${AT_ONCE}`);
    for (let removed = 0; ;) {
      const { affectedRows } = await this.store.transaction(remove);
      removed += affectedRows;
      if (affectedRows < AT_ONCE) return removed;
    }
  }

  private async take(tx: Store, asked: PlacesAsked): Promise<number> {
    const { holder, turn, processID } = asked;
    const [origins, held] = await Promise.all([
      // Whoever takes places of the process waits here for the one before, whose places are then seen.
      tx.rows('SELECT origin_id FROM origin WHERE process_id = ? ORDER BY origin_id FOR UPDATE', [processID]),
      // And for leases that are being renewed just now.
      tx.rows<HeldPlaces & { expired: number }>(
        `SELECT holder, places, turn, ${EXPIRED} AS expired FROM waiting_call WHERE process_id = ? FOR UPDATE`,
        [processID],
      ),
    ]);
    if (origins.length === 0) return 0;
    const lasting = held.filter(({ expired }) => !expired);
    const granted = grantPlaces(asked, lasting, this.config.WAITING_CALLS);
    if (granted === 0) return 0;
    // What was not counted must not be renewed by one who waits for these locks.
    if (lasting.length < held.length) {
      tx.atCommit(`DELETE FROM waiting_call WHERE process_id = ? AND ${EXPIRED}`, [processID]);
    }
    const own = lasting.find((one) => one.holder === holder)?.places ?? 0;
    tx.atCommit(
      `INSERT INTO waiting_call (process_id, holder, places, turn, lease_until) VALUES (?, ?, ?, ?, ${LEASE})
         ON DUPLICATE KEY UPDATE places = VALUES(places), turn = VALUES(turn), lease_until = VALUES(lease_until)`,
      [processID, holder, own + granted, turn],
    );
    return granted;
  }
}

function byCount(places: PlacesKept['places']): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const { processID, count } of places) {
    const group = groups.get(count);
    if (group) group.push(processID);
    else groups.set(count, [processID]);
  }
  return groups;
}

interface Lowered {
  holder: string;
  turn: number;
  count: number;
  processIDs: string[];
}

/** Who thinks that it holds more than it does keeps none: what it lacks may be another's already. */
async function lower(tx: Store, { holder, turn, count, processIDs }: Lowered): Promise<void> {
  const own = 'process_id IN (?) AND holder = ? AND turn < ?';
  if (count === 0) {
    await tx.write(`DELETE FROM waiting_call WHERE ${own}`, [processIDs, holder, turn]);
    return;
  }
  await tx.write(
    `UPDATE waiting_call SET places = ?, turn = ?, lease_until = ${LEASE}
      WHERE ${own} AND places >= ? AND lease_until > UTC_TIMESTAMP(3)`,
    [count, turn, processIDs, holder, turn, count],
  );
}

function renewed(tx: Store, processIDs: string[], holder: string, turn: number): Promise<{ process_id: string }[]> {
  const sql = 'SELECT process_id FROM waiting_call WHERE process_id IN (?) AND holder = ? AND turn = ?';
  return tx.rows(sql, [processIDs, holder, turn]);
}
