import type { Store } from '@batuta/database';
import { inTime } from '../http/in-time';

/** Contract 2.2. */
export interface Environment {
  environmentID: string;
  name: string;
  description: string;
  online: boolean;
  offlineFlow: boolean;
  envType: string;
  os: string;
  shared: boolean;
}

interface EnvironmentRow {
  environment_id: string;
  name: string;
  description: string;
  online: number;
  offline_flow: number;
  env_type: string;
  os: string;
  shared: number;
}

const COLUMNS = `e.environment_id, e.name, e.description, e.offline_flow, e.env_type, e.os, e.shared,
  EXISTS (SELECT 1 FROM agent_session s WHERE s.environment_id = e.environment_id
            AND s.closed_at IS NULL AND s.lease_until > UTC_TIMESTAMP(3)) AS online`;

export class EnvironmentsRepository {
  constructor(
    private readonly store: Store,
    private readonly milliseconds: number,
  ) {}

  /** The account's own environments and those that its company shares, the oldest first. */
  async reachable(accountID: string, companyID: string | null): Promise<Environment[]> {
    const rows = await inTime(
      this.store.rows<EnvironmentRow>(
        `SELECT ${COLUMNS} FROM environment e WHERE e.account_id = ?
         UNION ALL
         SELECT ${COLUMNS} FROM environment e WHERE e.company_id = ? AND e.shared = 1 AND e.account_id <> ?
         ORDER BY environment_id`,
        [accountID, companyID, accountID],
      ),
      this.milliseconds,
    );
    return rows.map((row) => ({
      environmentID: row.environment_id,
      name: row.name,
      description: row.description,
      online: row.online === 1,
      offlineFlow: row.offline_flow === 1,
      envType: row.env_type,
      os: row.os,
      shared: row.shared === 1,
    }));
  }
}
