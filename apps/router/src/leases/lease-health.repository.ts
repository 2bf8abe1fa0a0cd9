import { inBites, Store } from '@batuta/database';
import { Inject, Injectable } from '@nestjs/common';
import { ROUTER_CONFIG, type RouterConfig } from '../config';
import { leaseTimes } from './lease-rules';

/** The last observation, with times as the database writes them. */
interface LastObservation {
  now: string;
  healthyAt: string;
  healthy: number;
  /** Seconds since the last observation. */
  age: number;
}

/**
 * The row of `lease_health`: when a router last found that leases can be renewed and sessions resumed, and until when that holds. After that time
 * no replica of execution ends a running instance because its lease has expired. The row is in the database, because a replica that was cut off
 * itself would not know of the outage.
 */
@Injectable()
export class LeaseHealthRepository {
  private readonly leaseMicroseconds: number;
  private readonly healthMicroseconds: number;

  constructor(
    private readonly store: Store,
    @Inject(ROUTER_CONFIG) config: Pick<RouterConfig, 'LEASE_SECONDS'>,
  ) {
    const { leaseMs, healthMs } = leaseTimes(config.LEASE_SECONDS);
    this.leaseMicroseconds = leaseMs * 1_000;
    this.healthMicroseconds = healthMs * 1_000;
  }

  /**
   * Records that leases can be renewed and sessions resumed now. If the last observation is too old, there was an outage: each
   * lease that had not expired when it began is renewed. Returns the seconds of the outage to one replica, and undefined to all
   * others.
   */
  async record(): Promise<number | undefined> {
    const { affectedRows } = await this.store.write(
      `UPDATE lease_health SET healthy_at = UTC_TIMESTAMP(3), healthy_until = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
        WHERE health_id = 1 AND healthy_until > UTC_TIMESTAMP(3)`,
      [this.healthMicroseconds],
    );
    if (affectedRows === 1) return undefined;
    const last = await this.store.row<LastObservation>(
      `SELECT CAST(UTC_TIMESTAMP(3) AS CHAR) AS now, CAST(healthy_at AS CHAR) AS healthyAt,
              healthy_until > UTC_TIMESTAMP(3) AS healthy, TIMESTAMPDIFF(SECOND, healthy_at, UTC_TIMESTAMP(3)) AS age
         FROM lease_health WHERE health_id = 1`,
    );
    if (!last) return this.insertFirstObservation();
    return last.healthy === 1 ? undefined : this.endOutage(last);
  }

  private async insertFirstObservation(): Promise<undefined> {
    await this.store.write(
      `INSERT IGNORE INTO lease_health (health_id, healthy_at, healthy_until)
       VALUES (1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND)`,
      [this.healthMicroseconds],
    );
    return undefined;
  }

  /**
   * The observation counts only if it is written soon after the leases were renewed. If the database hangs in between, the
   * leases may have expired again, and the next observation renews them.
   */
  private async endOutage({ now, healthyAt, age }: LastObservation): Promise<number | undefined> {
    await inBites((rows) => this.renewLeasesAfter(healthyAt, rows));
    const { affectedRows } = await this.store.write(
      `UPDATE lease_health SET healthy_at = UTC_TIMESTAMP(3), healthy_until = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
        WHERE health_id = 1 AND healthy_at = ? AND UTC_TIMESTAMP(3) < CAST(? AS DATETIME(3)) + INTERVAL ? MICROSECOND`,
      [this.healthMicroseconds, healthyAt, now, this.healthMicroseconds],
    );
    return affectedRows === 1 ? age : undefined;
  }

  /**
   * Renews the leases that ended after `time`, except those that have more than half of their time left. The index is forced, because these may
   * be most leases: the server would then read, and lock, the whole table for each bite.
   */
  private async renewLeasesAfter(time: string, rows: number): Promise<number> {
    const { affectedRows } = await this.store.write(
      `UPDATE agent_session FORCE INDEX (agent_session_lease) SET lease_until = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
        WHERE lease_until > ? AND lease_until < UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND ORDER BY lease_until LIMIT ?`,
      [this.leaseMicroseconds, time, this.leaseMicroseconds / 2, rows],
    );
    return affectedRows;
  }
}
