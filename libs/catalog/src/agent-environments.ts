import type { Store } from '@batuta/database';

/** The facts that a router needs to admit an agent to an environment. */
export interface AgentEnvironment {
  environmentID: string;
  companyID: string;
  /** Maximum number of instances that one agent runs at the same time. */
  capacity: number;
  /** SHA-256 of the activation key. */
  keyHash: Buffer;
}

interface EnvironmentRow {
  environment_id: string;
  company_id: string;
  capacity: number;
  activation_key_hash: Buffer;
}

const ENVIRONMENT_COLUMNS = 'environment_id, company_id, capacity, activation_key_hash';

/** The environment whose activation key has the given SHA-256; undefined when there is none. */
export async function environmentOfActivationKey(store: Store, keyHash: Buffer): Promise<AgentEnvironment | undefined> {
  const row = await store.row<EnvironmentRow>(
    `SELECT ${ENVIRONMENT_COLUMNS} FROM environment WHERE activation_key_hash = ?`,
    [keyHash],
  );
  return row && toEnvironment(row);
}

/** The facts by environment id; environments that do not exist are missing. */
export async function agentEnvironments(
  store: Store,
  environmentIDs: readonly string[],
): Promise<Map<string, AgentEnvironment>> {
  if (environmentIDs.length === 0) return new Map();
  const rows = await store.rows<EnvironmentRow>(
    `SELECT ${ENVIRONMENT_COLUMNS} FROM environment WHERE environment_id IN (?)`,
    [environmentIDs],
  );
  return new Map(rows.map((row) => [row.environment_id, toEnvironment(row)]));
}

function toEnvironment(row: EnvironmentRow): AgentEnvironment {
  return {
    environmentID: row.environment_id,
    companyID: row.company_id,
    capacity: row.capacity,
    keyHash: row.activation_key_hash,
  };
}
