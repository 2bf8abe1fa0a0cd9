import { Abilities } from '@batuta/agent-protocol';
import type { Store } from '@batuta/database';

/** An agent that is connected now. */
export interface ConnectedAgent {
  /** The name that the agent gave itself. */
  name: string;
  runtimeVersion: string;
  /** The abilities that the agent lists itself, without ABILITY_SEALED_VALUES. */
  abilities: readonly string[];
  /** Maximum number of instances that the agent runs at the same time, as it announced; the environment may allow fewer. */
  capacity: number;
  connectedAt: Date;
  /** Fingerprint of the agent's public key; null when it announced none. */
  keyFingerprint: string | null;
}

const IS_CONNECTED = 'closed_at IS NULL AND lease_until > UTC_TIMESTAMP(3)';

/** The different abilities of the agents that are connected now, by environment id; an offline environment is missing. */
export async function connectedAbilities(store: Store, environmentIDs: string[]): Promise<Map<string, Abilities[]>> {
  if (environmentIDs.length === 0) return new Map();
  const rows = await store.rows<{ environment_id: string; abilities: string }>(
    `SELECT environment_id, abilities FROM agent_session WHERE environment_id IN (?) AND ${IS_CONNECTED}`,
    [environmentIDs],
  );
  const texts = new Map<string, Set<string>>();
  for (const { environment_id: id, abilities } of rows) texts.set(id, (texts.get(id) ?? new Set()).add(abilities));
  return new Map([...texts].map(([id, different]) => [id, [...different].map((text) => Abilities.parse(text))]));
}

/** How many agents are connected now, by environment id; an offline environment is missing. */
export async function countConnectedAgents(store: Store, environmentIDs: string[]): Promise<Map<string, number>> {
  if (environmentIDs.length === 0) return new Map();
  const rows = await store.rows<{ environment_id: string; agents: number }>(
    `SELECT environment_id, COUNT(*) AS agents FROM agent_session
      WHERE environment_id IN (?) AND ${IS_CONNECTED} GROUP BY environment_id`,
    [environmentIDs],
  );
  return new Map(rows.map((row) => [row.environment_id, row.agents]));
}

/** The agents of an environment that are connected now, the newest connection first. */
export async function connectedAgents(store: Store, environmentID: string, limit: number): Promise<ConnectedAgent[]> {
  const rows = await store.rows<{
    agent_name: string;
    runtime_version: string;
    abilities: string;
    capacity: number;
    connected_at: Date;
    key_fingerprint: string | null;
  }>(
    `SELECT agent_name, runtime_version, abilities, capacity, connected_at, key_fingerprint FROM agent_session
      WHERE environment_id = ? AND ${IS_CONNECTED} ORDER BY connected_at DESC, session_id DESC LIMIT ?`,
    [environmentID, limit],
  );
  return rows.map((row) => ({
    name: row.agent_name,
    runtimeVersion: row.runtime_version,
    abilities: Abilities.parse(row.abilities).listedAbilities,
    capacity: row.capacity,
    connectedAt: row.connected_at,
    keyFingerprint: row.key_fingerprint,
  }));
}
