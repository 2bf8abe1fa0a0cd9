import type { Store } from '@batuta/database';

/** Ids of the environments with a connected agent (contract 2.2 `online`). */
export async function onlineEnvironments(store: Store, environmentIDs: string[]): Promise<Set<string>> {
  if (environmentIDs.length === 0) return new Set();
  const rows = await store.rows<{ environment_id: string }>(
    `SELECT DISTINCT environment_id FROM agent_session
      WHERE environment_id IN (?) AND closed_at IS NULL AND lease_until > UTC_TIMESTAMP(3)`,
    [environmentIDs],
  );
  return new Set(rows.map((row) => row.environment_id));
}
