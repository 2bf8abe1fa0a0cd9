import type { Store } from '@batuta/database';

/** The facts that decide whether a start may use an environment. */
export interface EnvironmentFacts {
  environmentID: string;
  name: string;
  /** The owner. */
  accountID: string;
  companyID: string;
  /** Whether it is shared with all accounts of its company. */
  shared: boolean;
  /** Whether starts are queued while no agent is connected; otherwise they are refused. */
  offlineFlow: boolean;
  /** Whether an agent is connected now. */
  online: boolean;
}

export interface EnvironmentRow {
  environment_id: string;
  name: string;
  account_id: string;
  company_id: string;
  shared: number;
  offline_flow: number;
  online: number | null;
}

/**
 * SQL expression: whether environment `e` is online; 1, 0, or NULL when it has no open session. MAX reads one entry at the end of an
 * index; EXISTS would be a subquery that the server plans and runs for each row.
 */
export const IS_ONLINE = `(SELECT MAX(s.lease_until) FROM agent_session s
                  WHERE s.environment_id = e.environment_id AND s.closed_at IS NULL) > UTC_TIMESTAMP(3)`;

/** The facts by environment id; environments that do not exist are missing. */
export async function environmentFacts(store: Store, environmentIDs: string[]): Promise<Map<string, EnvironmentFacts>> {
  if (environmentIDs.length === 0) return new Map();
  const rows = await store.rows<EnvironmentRow>(
    `SELECT e.environment_id, e.name, e.account_id, e.company_id, e.shared, e.offline_flow, ${IS_ONLINE} AS online
       FROM environment e WHERE e.environment_id IN (?)`,
    [environmentIDs],
  );
  return new Map(rows.map((row) => [row.environment_id, toEnvironmentFacts(row)]));
}

export function toEnvironmentFacts(row: EnvironmentRow): EnvironmentFacts {
  return {
    environmentID: row.environment_id,
    name: row.name,
    accountID: row.account_id,
    companyID: row.company_id,
    shared: row.shared === 1,
    offlineFlow: row.offline_flow === 1,
    online: row.online === 1,
  };
}
