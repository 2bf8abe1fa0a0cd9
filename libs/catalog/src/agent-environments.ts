import type { Store } from '@batuta/database';

/** What admits an agent to an environment and bounds it there. */
export interface AgentEnvironment {
  environmentID: string;
  /** Instances at once that one agent may run. */
  capacity: number;
  /** SHA-256 of the activation key. */
  keyHash: Buffer;
}

interface Row {
  environment_id: string;
  capacity: number;
  activation_key_hash: Buffer;
}

const COLUMNS = 'environment_id, capacity, activation_key_hash';

/** The environment whose activation key has this SHA-256; undefined when there is none. */
export async function environmentOfActivationKey(store: Store, keyHash: Buffer): Promise<AgentEnvironment | undefined> {
  const row = await store.row<Row>(`SELECT ${COLUMNS} FROM environment WHERE activation_key_hash = ?`, [keyHash]);
  return row && toEnvironment(row);
}

/** Those of the environments that still exist, by id. */
export async function agentEnvironments(
  store: Store,
  environmentIDs: readonly string[],
): Promise<Map<string, AgentEnvironment>> {
  if (environmentIDs.length === 0) return new Map();
  const rows = await store.rows<Row>(`SELECT ${COLUMNS} FROM environment WHERE environment_id IN (?)`, [
    environmentIDs,
  ]);
  return new Map(rows.map((row) => [row.environment_id, toEnvironment(row)]));
}

function toEnvironment(row: Row): AgentEnvironment {
  return { environmentID: row.environment_id, capacity: row.capacity, keyHash: row.activation_key_hash };
}
