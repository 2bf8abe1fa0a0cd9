import { deleteInBites, Store } from '@batuta/database';
import { Inject, Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { ROUTER_CONFIG, type RouterConfig } from '../config';
import type { AgentSession } from './agent-session';

/** How long rows are kept after their lease, because execution reads the sessions of lost instances. */
const RETENTION_HOURS = 24;

/** The rows of `agent_session`, which only routers write. All leases use the database's clock. */
@Injectable()
export class SessionRepository {
  private readonly leaseMicroseconds: number;
  private readonly routerID = createRouterID();

  constructor(
    private readonly store: Store,
    @Inject(ROUTER_CONFIG) config: Pick<RouterConfig, 'LEASE_SECONDS'>,
  ) {
    this.leaseMicroseconds = config.LEASE_SECONDS * 1_000_000;
  }

  /** Inserts the row of a session. Returns false, without effect, when the environment has another activation key by now or was deleted. */
  async insert({ id, environmentID, keyHash, hello, abilities, keyFingerprint }: AgentSession): Promise<boolean> {
    const { affectedRows } = await this.store.write(
      `INSERT INTO agent_session
         (session_id, environment_id, router_id, agent_name, runtime_version, abilities, capacity, key_fingerprint, connected_at,
          lease_until)
       SELECT ?, environment_id, ?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
         FROM environment WHERE environment_id = ? AND activation_key_hash = ?`,
      [
        id,
        this.routerID,
        hello.agent,
        hello.runtimeVersion,
        JSON.stringify(abilities.list),
        hello.capacity,
        keyFingerprint,
        this.leaseMicroseconds,
        environmentID,
        keyHash,
      ],
    );
    return affectedRows === 1;
  }

  /** Renews the leases with one update; returns the sessions that are alive. An expired lease is not renewed. */
  async renew(sessionIDs: readonly string[]): Promise<Set<string>> {
    if (sessionIDs.length === 0) return new Set();
    const { affectedRows } = await this.store.write(
      `UPDATE agent_session SET lease_until = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
        WHERE session_id IN (?) AND closed_at IS NULL AND lease_until > UTC_TIMESTAMP(3)`,
      [this.leaseMicroseconds, sessionIDs],
    );
    return affectedRows === sessionIDs.length ? new Set(sessionIDs) : this.findAlive(sessionIDs);
  }

  /** Closes sessions; an agent may resume a closed session until its lease expires. */
  async close(sessionIDs: readonly string[]): Promise<void> {
    if (sessionIDs.length === 0) return;
    await this.store.write(
      'UPDATE agent_session SET closed_at = UTC_TIMESTAMP(3) WHERE session_id IN (?) AND closed_at IS NULL',
      [sessionIDs],
    );
  }

  /** The environment of a session; undefined when its row does not exist, or was deleted because it is old. */
  async environmentOf(sessionID: string): Promise<string | undefined> {
    const row = await this.store.row<{ environment_id: string }>(
      'SELECT environment_id FROM agent_session WHERE session_id = ?',
      [sessionID],
    );
    return row?.environment_id;
  }

  /**
   * The key fingerprint of the newest other session of the environment under exactly this agent name that had a key; undefined when the rows
   * that are still kept have none.
   */
  async findEarlierFingerprint(session: {
    id: string;
    environmentID: string;
    agent: string;
  }): Promise<string | undefined> {
    const row = await this.store.row<{ key_fingerprint: string }>(
      `SELECT key_fingerprint FROM agent_session
        WHERE environment_id = ? AND CAST(agent_name AS BINARY) = CAST(? AS BINARY) AND session_id <> ? AND key_fingerprint IS NOT NULL
        ORDER BY connected_at DESC LIMIT 1`,
      [session.environmentID, session.agent, session.id],
    );
    return row?.key_fingerprint;
  }

  /**
   * Deletes the rows of sessions whose lease ended more than RETENTION_HOURS ago, until `isStopping` returns true. The time of an outage does
   * not count, because the agents of these sessions may still reconnect.
   */
  async deleteOld(isStopping = () => false): Promise<void> {
    const remove = `DELETE FROM agent_session
      WHERE lease_until < COALESCE((SELECT healthy_at FROM lease_health WHERE health_id = 1), UTC_TIMESTAMP(3)) - INTERVAL ? HOUR
      ORDER BY lease_until LIMIT ?`;
    await deleteInBites(this.store, remove, [RETENTION_HOURS], { isStopping });
  }

  private async findAlive(sessionIDs: readonly string[]): Promise<Set<string>> {
    const rows = await this.store.rows<{ session_id: string }>(
      `SELECT session_id FROM agent_session
        WHERE session_id IN (?) AND closed_at IS NULL AND lease_until > UTC_TIMESTAMP(3)`,
      [sessionIDs],
    );
    return new Set(rows.map((row) => row.session_id));
  }
}

/** Distinguishes replicas in the rows, for people who read them. */
function createRouterID(): string {
  const host = hostname().replaceAll(/[^\w.-]/g, '');
  return `${host.slice(0, 50)}-${randomBytes(4).toString('hex')}`;
}
