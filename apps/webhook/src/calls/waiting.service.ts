import type { RequestsOf, webhook } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { faultPoint } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import { WebhookMetrics } from '../metrics';
import { Gathering } from './gathering';
import { grantPlaces } from './places';

type Wait = RequestsOf<typeof webhook>['wait'];

/** For the answer to arrive and the place to be given back after the wait. */
const MARGIN_SECONDS = 2;
const AT_ONCE = 500;
const EXPIRED = 'lease_until <= UTC_TIMESTAMP(3)';

/** Places of calls that wait for their process's answer: so many a process, over all replicas (spec 8). */
@Injectable()
export class WaitingService {
  /** A place is held under a lock of its process until it is committed: calls of this replica share one. */
  private readonly gathering = new Gathering<Wait, boolean>((processID, calls) =>
    this.store.transaction((tx) => this.take(tx, processID, calls)),
  );

  constructor(
    @Inject(Store) private readonly store: Store,
    @Inject(WebhookMetrics) private readonly metrics: WebhookMetrics,
    @Inject(WEBHOOK_CONFIG) private readonly config: WebhookConfig,
  ) {}

  /** Whether the call got a place. Asked twice for one instance it takes one. */
  async wait(call: Wait): Promise<boolean> {
    const granted = await this.gathering.submit(call.processID, call);
    faultPoint('webhook:after-wait');
    this.metrics.waits.inc({ granted: String(granted) });
    return granted;
  }

  async release(instanceIDs: string[]): Promise<number> {
    return this.remove(instanceIDs, '');
  }

  /** Places whose holders died with them; they count no longer in any case. */
  async removeExpired(): Promise<number> {
    for (let removed = 0; ;) {
      const rows = await this.store.rows<{ instance_id: string }>(
        `SELECT instance_id FROM waiting_call WHERE ${EXPIRED} ORDER BY lease_until LIMIT ${AT_ONCE}`,
      );
      const instanceIDs = rows.map(({ instance_id }) => instance_id);
      removed += await this.remove(instanceIDs, `AND ${EXPIRED}`);
      if (rows.length < AT_ONCE) return removed;
    }
  }

  /** By their ids, in one order: whoever removes some at the same time waits and does not lock the other out. */
  private async remove(instanceIDs: string[], condition: string): Promise<number> {
    if (instanceIDs.length === 0) return 0;
    const { affectedRows } = await this.store.write(`DELETE FROM waiting_call WHERE instance_id IN (?) ${condition}`, [
      instanceIDs.toSorted(),
    ]);
    return affectedRows;
  }

  private async take(tx: Store, processID: string, calls: Wait[]): Promise<boolean[]> {
    const [origins, held] = await Promise.all([
      // Whoever takes places of the process waits here for the one before, whose places are then seen.
      tx.rows<{ origin_id: string }>(
        'SELECT origin_id FROM origin WHERE process_id = ? ORDER BY origin_id FOR UPDATE',
        [processID],
      ),
      tx.rows<{ instance_id: string }>(
        'SELECT instance_id FROM waiting_call WHERE process_id = ? AND lease_until > UTC_TIMESTAMP(3)',
        [processID],
      ),
    ]);
    const granted = grantPlaces(calls, {
      origins: new Set(origins.map(({ origin_id }) => origin_id)),
      held: new Set(held.map(({ instance_id }) => instance_id)),
      places: this.config.WAITING_CALLS,
    });
    const taken = calls.filter((_, index) => granted[index]);
    if (taken.length > 0) writeLeases(tx, taken);
    return granted;
  }
}

function writeLeases(tx: Store, calls: Wait[]): void {
  const row = '(?, ?, ?, UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND)';
  tx.atCommit(
    `INSERT INTO waiting_call (instance_id, process_id, origin_id, lease_until)
       VALUES ${calls.map(() => row).join(', ')} ON DUPLICATE KEY UPDATE lease_until = VALUES(lease_until)`,
    calls.flatMap(({ instanceID, processID, originID, seconds }) => {
      return [instanceID, processID, originID, Math.ceil((seconds + MARGIN_SECONDS) * 1_000_000)];
    }),
  );
}
