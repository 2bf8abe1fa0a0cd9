import type { Store } from '@batuta/database';
import type { MatrixVariable } from '@batuta/matrix';
import { IS_ONLINE, toEnvironmentFacts, type EnvironmentFacts, type EnvironmentRow } from './environment-facts';
import { readMatrices, type MatrixCache } from './matrix-cache';

/** The facts that decide whether and how a process starts. */
export interface ProcessStartFacts {
  processID: string;
  processName: string;
  /** Whether the process is switched on; if not, only debug runs start. */
  active: boolean;
  ownerAccountID: string;
  /** The owner is not blocked and its company is not suspended. */
  ownerActive: boolean;
  companyID: string;
  /** The credits that the plan of the company gives each month. */
  monthlyCredits: number;
  /** The environment registered on the process; whether it still exists and its owner reaches it is checked elsewhere. */
  environmentID: string | null;
  /** The published version; null = none. */
  versionID: string | null;
  /** The number of the published version; 0 = none. */
  version: number;
  matrix: MatrixVariable[];
}

interface ProcessesWithEnvironments {
  /** Time of the database's clock; undefined when none of the processes exists. */
  now: Date | undefined;
  processes: Map<string, ProcessStartFacts>;
  /** The environments registered on the processes, by environment id. */
  environments: Map<string, EnvironmentFacts>;
}

interface ProcessRow {
  now: Date;
  process_id: string;
  process_name: string;
  active: number;
  account_id: string;
  blocked: number;
  suspended: number;
  company_id: string;
  monthly_credits: number;
  environment_id: string | null;
  published_version_id: string | null;
  current_version: number;
  matrix_revision: number;
}

/**
 * A row of `process LEFT JOIN environment`, the environment's columns with the prefix `e_`; `e_environment_id` is null when the process
 * has no environment or its environment was deleted.
 */
type JoinedRow = ProcessRow &
  ({ e_environment_id: null } | { [Column in keyof EnvironmentRow as `e_${Column}`]: EnvironmentRow[Column] });

/** The facts by process id; processes that do not exist are missing. Throws BatchTooLarge as `readMatrices` does. */
export async function findProcessStartFacts(
  store: Store,
  processIDs: string[],
): Promise<Map<string, ProcessStartFacts>> {
  return (await processesWithEnvironments(store, processIDs)).processes;
}

/**
 * The processes with their registered environments and the time, all read in one query. Matrix variables that the cache `matrices` does
 * not have, or all of them without that cache, take a second query, which may throw BatchTooLarge.
 */
export async function processesWithEnvironments(
  store: Store,
  processIDs: string[],
  matrices?: MatrixCache,
): Promise<ProcessesWithEnvironments> {
  const rows = await store.rows<JoinedRow>(
    `SELECT UTC_TIMESTAMP(3) AS now, p.process_id, p.process_name, p.active, p.account_id, a.blocked, c.suspended,
            p.company_id, plan.monthly_credits, p.environment_id, p.published_version_id, p.current_version,
            p.matrix_revision, e.environment_id AS e_environment_id, e.name AS e_name, e.account_id AS e_account_id,
            e.company_id AS e_company_id, e.shared AS e_shared, e.offline_flow AS e_offline_flow, ${IS_ONLINE} AS e_online
       FROM process p
       JOIN account a ON a.account_id = p.account_id
       JOIN company c ON c.company_id = p.company_id
       JOIN plan ON plan.plan_id = c.plan_id
       LEFT JOIN environment e ON e.environment_id = p.environment_id
      WHERE p.process_id IN (?)`,
    [processIDs],
  );
  const found = matrices
    ? await matrices.load(store, new Map(rows.map((row) => [row.process_id, row.matrix_revision])))
    : await readMatrices(store, processIDs);
  const processes = new Map<string, ProcessStartFacts>();
  const environments = new Map<string, EnvironmentFacts>();
  for (const row of rows) {
    const matrix = found.get(row.process_id);
    if (matrix) processes.set(row.process_id, toProcessStartFacts(row, matrix.variables));
    const environment = registeredEnvironment(row);
    if (environment) environments.set(environment.environmentID, environment);
  }
  return { now: rows[0]?.now, processes, environments };
}

/** The company of each account, by account id; an account without a company is missing. */
export async function companiesOf(store: Store, accountIDs: string[]): Promise<Map<string, string>> {
  if (accountIDs.length === 0) return new Map();
  const rows = await store.rows<{ account_id: string; company_id: string | null }>(
    'SELECT account_id, company_id FROM account WHERE account_id IN (?)',
    [accountIDs],
  );
  return new Map(rows.flatMap((row) => (row.company_id === null ? [] : [[row.account_id, row.company_id]])));
}

function toProcessStartFacts(row: ProcessRow, matrix: MatrixVariable[]): ProcessStartFacts {
  return {
    processID: row.process_id,
    processName: row.process_name,
    active: row.active === 1,
    ownerAccountID: row.account_id,
    ownerActive: row.blocked === 0 && row.suspended === 0,
    companyID: row.company_id,
    monthlyCredits: row.monthly_credits,
    environmentID: row.environment_id,
    versionID: row.published_version_id,
    version: row.current_version,
    matrix,
  };
}

function registeredEnvironment(row: JoinedRow): EnvironmentFacts | undefined {
  if (row.e_environment_id === null) return undefined;
  return toEnvironmentFacts({
    environment_id: row.e_environment_id,
    name: row.e_name,
    account_id: row.e_account_id,
    company_id: row.e_company_id,
    shared: row.e_shared,
    offline_flow: row.e_offline_flow,
    online: row.e_online,
  });
}
