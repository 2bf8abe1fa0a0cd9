import type { Store } from '@batuta/database';
import type { Session } from './session';

/** Rows are kept for a day after their lease: execution looks up the sessions of what it still has to give up. */
const KEPT_HOURS = 24;
const DELETED_AT_ONCE = 500;

/** The rows of `agent_session`, which only routers write. All leases run on the database's clock. */
export class SessionRepository {
  constructor(
    private readonly store: Store,
    private readonly routerID: string,
    private readonly leaseMs: number,
  ) {}

  async insert({ id, environmentID, hello }: Session): Promise<void> {
    await this.store.write(
      `INSERT INTO agent_session
         (session_id, environment_id, router_id, agent_name, runtime_version, abilities, capacity, connected_at, lease_until)
       VALUES (?, ?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND)`,
      [
        id,
        environmentID,
        this.routerID,
        hello.agent,
        hello.runtimeVersion,
        JSON.stringify(hello.abilities),
        hello.capacity,
        this.leaseMs * 1_000,
      ],
    );
  }

  /** Renews all of them with one update; returns those that are still alive. A lease that is over stays over. */
  async renew(sessionIDs: readonly string[]): Promise<Set<string>> {
    if (sessionIDs.length === 0) return new Set();
    const { affectedRows } = await this.store.write(
      `UPDATE agent_session SET lease_until = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
        WHERE session_id IN (?) AND closed_at IS NULL AND lease_until > UTC_TIMESTAMP(3)`,
      [this.leaseMs * 1_000, sessionIDs],
    );
    return affectedRows === sessionIDs.length ? new Set(sessionIDs) : this.alive(sessionIDs);
  }

  /** Closed ones may still be resumed until their lease is over. */
  async close(sessionIDs: readonly string[]): Promise<void> {
    if (sessionIDs.length === 0) return;
    await this.store.write(
      'UPDATE agent_session SET closed_at = UTC_TIMESTAMP(3) WHERE session_id IN (?) AND closed_at IS NULL',
      [sessionIDs],
    );
  }

  async environmentOf(sessionID: string): Promise<string | undefined> {
    const row = await this.store.row<{ environment_id: string }>(
      'SELECT environment_id FROM agent_session WHERE session_id = ?',
      [sessionID],
    );
    return row?.environment_id;
  }

  /** One small batch; how many were deleted. */
  async deleteOld(): Promise<number> {
    const { affectedRows } = await this.store.write(
      'DELETE FROM agent_session WHERE lease_until < UTC_TIMESTAMP(3) - INTERVAL ? HOUR ORDER BY lease_until LIMIT ?',
      [KEPT_HOURS, DELETED_AT_ONCE],
    );
    return affectedRows;
  }

  async deleteAllOld(): Promise<void> {
    while ((await this.deleteOld()) === DELETED_AT_ONCE);
  }

  private async alive(sessionIDs: readonly string[]): Promise<Set<string>> {
    const rows = await this.store.rows<{ session_id: string }>(
      `SELECT session_id FROM agent_session
        WHERE session_id IN (?) AND closed_at IS NULL AND lease_until > UTC_TIMESTAMP(3)`,
      [sessionIDs],
    );
    return new Set(rows.map((row) => row.session_id));
  }
}
