import { withTimeout } from '@batuta/async';
import { toPermissions, type ShareColumns } from '@batuta/catalog';
import { Store } from '@batuta/database';
import { isMatrixType, publicDefinition, type MatrixDefinition } from '@batuta/matrix';
import { Inject, Injectable } from '@nestjs/common';
import { databaseTimeoutError } from '../common/database-timeout-error';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import type { ProcessDto, ProcessSummaryDto } from './process.dto';

export type ProcessDetail = Omit<ProcessDto, 'matrix'>;

interface SummaryRow {
  process_id: string;
  process_name: string;
  /** The name of the environment whose agent runs the process; null without one within the owner's reach. */
  agent_name: string | null;
  active: number;
  paused: number;
}

interface SharedRow extends SummaryRow, ShareColumns {
  owner_name: string;
}

interface DetailRow extends SummaryRow {
  description: string;
  api_enabled: number;
  current_version: number;
  avg_human_time: string;
  avg_operator_cost: string | number;
}

interface VariableRow {
  variable_id: string;
  name: string;
  type: string;
  default_value: string;
}

const SUMMARY_COLUMNS = 'p.process_id, p.process_name, e.name AS agent_name, p.active, p.paused';
/** Joins the registered environment, unless it has left the reach of the owner: then nothing runs there, and its name is no longer theirs to see. */
const JOIN_ENVIRONMENT = `LEFT JOIN environment e ON e.environment_id = p.environment_id
  AND (e.account_id = p.account_id OR (e.shared = 1 AND e.company_id = p.company_id))`;

/** Checks no access. Its methods throw UNAVAILABLE when the database does not answer within READ_TIMEOUT_MS. */
@Injectable()
export class ProcessRepository {
  constructor(
    private readonly store: Store,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'READ_TIMEOUT_MS'>,
  ) {}

  /** The account's own processes, then those shared with it, each oldest first. */
  async findReachable(accountID: string): Promise<ProcessSummaryDto[]> {
    const [owned, shared] = await Promise.all([this.findOwned(accountID), this.findShared(accountID)]);
    return [...owned.map(toOwnedSummary), ...shared.map(toSharedSummary)];
  }

  /** Undefined for an unknown process. */
  async findDetail(processID: string): Promise<ProcessDetail | undefined> {
    const [row] = await this.rows<DetailRow>(
      `SELECT ${SUMMARY_COLUMNS}, p.description, p.api_enabled, p.current_version, p.avg_human_time, p.avg_operator_cost
         FROM process p ${JOIN_ENVIRONMENT} WHERE p.process_id = ?`,
      [processID],
    );
    return row && toDetail(row);
  }

  /** The Matrix variables of a process (contract 2.5), in the order of registration; none for an unknown process. */
  async findMatrix(processID: string): Promise<MatrixDefinition[]> {
    const rows = await this.rows<VariableRow>(
      `SELECT variable_id, name, type, default_value FROM matrix_variable WHERE process_id = ? ORDER BY position`,
      [processID],
    );
    return rows.map(toDefinition);
  }

  private findOwned(accountID: string): Promise<SummaryRow[]> {
    return this.rows(
      `SELECT ${SUMMARY_COLUMNS} FROM process p ${JOIN_ENVIRONMENT} WHERE p.account_id = ? ORDER BY p.process_id`,
      [accountID],
    );
  }

  private findShared(accountID: string): Promise<SharedRow[]> {
    return this.rows(
      `SELECT ${SUMMARY_COLUMNS}, o.name AS owner_name, s.may_execute, s.may_edit, s.may_api, s.may_schedule, s.may_delete, s.may_share
         FROM process_share s
         JOIN process p ON p.process_id = s.process_id
         JOIN account o ON o.account_id = p.account_id
         ${JOIN_ENVIRONMENT}
        WHERE s.account_id = ? AND p.account_id <> s.account_id ORDER BY s.process_id`,
      [accountID],
    );
  }

  private rows<Row>(sql: string, parameters: unknown[]): Promise<Row[]> {
    return withTimeout(this.store.rows<Row>(sql, parameters), this.config.READ_TIMEOUT_MS, databaseTimeoutError);
  }
}

function toSummary(row: SummaryRow) {
  return {
    processID: row.process_id,
    processName: row.process_name,
    agentName: row.agent_name ?? '',
    active: row.active === 1,
  };
}

function toOwnedSummary(row: SummaryRow): ProcessSummaryDto {
  return { ...toSummary(row), paused: row.paused === 1, owned: true };
}

function toSharedSummary(row: SharedRow): ProcessSummaryDto {
  return { ...toSummary(row), owned: false, ownerName: row.owner_name, permissions: toPermissions(row) };
}

function toDetail(row: DetailRow): ProcessDetail {
  const { processID, processName, agentName, active } = toSummary(row);
  return {
    processID,
    processName,
    description: row.description,
    agentName,
    active,
    apiEnabled: row.api_enabled === 1,
    currentVersion: row.current_version,
    avgHumanTime: row.avg_human_time,
    avgOperatorCost: Number(row.avg_operator_cost),
  };
}

function toDefinition({ variable_id, name, type, default_value }: VariableRow): MatrixDefinition {
  if (!isMatrixType(type)) throw new Error(`Variable ${variable_id} has the unknown type ${type}`);
  const registered: unknown = JSON.parse(default_value);
  return publicDefinition({ id: variable_id, name, type, default: registered });
}
