import { withTimeout } from '@batuta/async';
import { Store } from '@batuta/database';
import { Inject, Injectable } from '@nestjs/common';
import { databaseTimeoutError } from '../common/database-timeout-error';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import type { EnvironmentDto } from './environment.dto';

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

const ENVIRONMENT_COLUMNS = `e.environment_id, e.name, e.description, e.offline_flow, e.env_type, e.os, e.shared,
  EXISTS (SELECT 1 FROM agent_session s WHERE s.environment_id = e.environment_id
            AND s.closed_at IS NULL AND s.lease_until > UTC_TIMESTAMP(3)) AS online`;

@Injectable()
export class EnvironmentRepository {
  constructor(
    private readonly store: Store,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'READ_TIMEOUT_MS'>,
  ) {}

  /**
   * The environments that the account owns and those that are shared with its company, oldest first. Throws UNAVAILABLE when the database does not
   * answer within READ_TIMEOUT_MS.
   */
  async findReachable(accountID: string, companyID: string | null): Promise<EnvironmentDto[]> {
    const rows = await withTimeout(
      this.store.rows<EnvironmentRow>(
        `SELECT ${ENVIRONMENT_COLUMNS} FROM environment e WHERE e.account_id = ?
         UNION ALL
         SELECT ${ENVIRONMENT_COLUMNS} FROM environment e WHERE e.company_id = ? AND e.shared = 1 AND e.account_id <> ?
         ORDER BY environment_id`,
        [accountID, companyID, accountID],
      ),
      this.config.READ_TIMEOUT_MS,
      databaseTimeoutError,
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
