import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { isContention } from './store';

/** Duration of the lease: after a run was killed, the next run waits at most this long. */
const LEASE_SECONDS = 15;
const POLL_INTERVAL_MS = 200;
/** Renewals within the duration of a lease: one renewal may fail, or take long, without the loss of the lease. */
const RENEWALS_PER_LEASE = 5;

const CREATE_SQL = `CREATE TABLE IF NOT EXISTS migration_lease
  (id tinyint NOT NULL PRIMARY KEY, owner char(36) NOT NULL, expires_at datetime(3) NOT NULL) ENGINE=InnoDB`;
const INSERT_SQL = "INSERT IGNORE INTO migration_lease (id, owner, expires_at) VALUES (1, '', '2000-01-01')";
const TAKE_SQL = `UPDATE migration_lease SET owner = ?, expires_at = UTC_TIMESTAMP(3) + INTERVAL ? SECOND
  WHERE id = 1 AND (expires_at <= UTC_TIMESTAMP(3) OR owner = ?)`;
/** Also renews an expired lease that no other run has taken: a statement that rebuilds a table may hold up the renewals. */
const RENEW_SQL = `UPDATE migration_lease SET expires_at = UTC_TIMESTAMP(3) + INTERVAL ? SECOND WHERE id = 1 AND owner = ?`;
const RELEASE_SQL = `UPDATE migration_lease SET owner = '', expires_at = UTC_TIMESTAMP(3) WHERE id = 1 AND owner = ?`;

export interface LeaseOptions {
  /** Time limit of the wait for the lease of another run. */
  waitSeconds: number;
  /** Duration of the lease; default: LEASE_SECONDS. */
  leaseSeconds?: number;
}

/**
 * Runs `work` while this run holds the lease of the migration, a row of the database with an owner and an expiry on the
 * database's clock. The row works on a single server and in a Galera cluster: when two nodes write it at the same time, one of the writes
 * fails its certification. Throws when the lease is not granted in time. When another run has taken the lease, `source` is destroyed, so
 * that `work` sends no further statement, and the call throws.
 */
export async function underLease<T>(source: DataSource, options: LeaseOptions, work: () => Promise<T>): Promise<T> {
  const lease = new MigrationLease(source, options.leaseSeconds ?? LEASE_SECONDS);
  try {
    await lease.take(options.waitSeconds);
    const result = await lease.renewDuring(work);
    if (await lease.release()) return result;
  } catch (error) {
    // A failed run gives up its lease, so that the next run begins at once.
    await lease.release().catch(() => false);
    if (!lease.isLost) throw error;
  }
  throw new Error('Another run has taken the lease of this migration. Run it again.');
}

class MigrationLease {
  isLost = false;
  private readonly owner = randomUUID();

  constructor(
    private readonly source: DataSource,
    private readonly seconds: number,
  ) {}

  async take(waitSeconds: number): Promise<void> {
    await this.source.query(CREATE_SQL);
    const deadline = performance.now() + waitSeconds * 1_000;
    while (!(await this.tryToTake())) {
      if (performance.now() >= deadline)
        throw new Error(`The lease was not granted within ${waitSeconds} s; another migration runs. Try again.`);
      await sleep(POLL_INTERVAL_MS);
    }
  }

  async renewDuring<T>(work: () => Promise<T>): Promise<T> {
    const end = new AbortController();
    const renewals = this.renewUntil(end.signal);
    try {
      return await work();
    } finally {
      end.abort();
      await renewals;
    }
  }

  /** False when this run no longer owns the lease. */
  async release(): Promise<boolean> {
    return this.source.isInitialized && (await this.changesRow(RELEASE_SQL, [this.owner]));
  }

  private async tryToTake(): Promise<boolean> {
    try {
      await this.source.query(INSERT_SQL);
      return await this.changesRow(TAKE_SQL, [this.owner, this.seconds, this.owner]);
    } catch (error) {
      if (isContention(error)) return false;
      throw error;
    }
  }

  private async renewUntil(end: AbortSignal): Promise<void> {
    const interval = (this.seconds * 1_000) / RENEWALS_PER_LEASE;
    while (await isCompleted(sleep(interval, undefined, { signal: end }))) {
      // A renewal without an answer is repeated: only an answer says that the lease is lost.
      const isOwner = await this.changesRow(RENEW_SQL, [this.seconds, this.owner]).catch(() => true);
      if (isOwner) continue;
      this.isLost = true;
      await this.source.destroy();
      return;
    }
  }

  /** Whether the statement finds its row; the driver counts rows that it finds, changed or not. */
  private async changesRow(sql: string, parameters: unknown[]): Promise<boolean> {
    const result: { affectedRows: number } = await this.source.query(sql, parameters);
    return result.affectedRows === 1;
  }
}

/** False when the pause was aborted. */
function isCompleted(pause: Promise<void>): Promise<boolean> {
  return pause.then(
    () => true,
    () => false,
  );
}
