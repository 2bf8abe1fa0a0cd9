import type { Store } from '@batuta/database';
import type { MatrixVariable } from '@batuta/matrix';
import { readMatrices, type Matrices } from './matrices';

/** What decides whether and how a process starts, read together for a batch of starts. */
export interface LaunchFacts {
  processID: string;
  processName: string;
  active: boolean;
  ownerAccountID: string;
  ownerActive: boolean;
  companyID: string;
  monthlyCredits: number;
  /** The environment registered on the process, when it still exists and its owner reaches it. */
  environmentID: string | null;
  versionID: string | null;
  version: number;
  matrix: MatrixVariable[];
}

export interface EnvironmentFacts {
  environmentID: string;
  name: string;
  accountID: string;
  companyID: string;
  shared: boolean;
  offlineFlow: boolean;
  online: boolean;
}

interface Launches {
  /** By the database's clock; only processes that are there tell it. */
  now: Date | undefined;
  launches: Map<string, LaunchFacts>;
  /** Those registered on the processes, by their own id. */
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

interface EnvironmentRow {
  environment_id: string;
  name: string;
  account_id: string;
  company_id: string;
  shared: number;
  offline_flow: number;
  online: number | null;
}

/** With the environment registered on the process, where that is still there. */
type LaunchRow = ProcessRow &
  ({ e_environment_id: null } | { [Column in keyof EnvironmentRow as `e_${Column}`]: EnvironmentRow[Column] });

/** Facts by process id; a process that does not exist is missing. */
export async function launchFacts(store: Store, processIDs: string[]): Promise<Map<string, LaunchFacts>> {
  return (await launchesWithEnvironments(store, processIDs)).launches;
}

/** The same, and what else there is to know at that moment. Variables that `matrices` does not remember take a second query. */
export async function launchesWithEnvironments(
  store: Store,
  processIDs: string[],
  matrices?: Matrices,
): Promise<Launches> {
  const rows = await store.rows<LaunchRow>(
    `SELECT UTC_TIMESTAMP(3) AS now, p.process_id, p.process_name, p.active, p.account_id, a.blocked, c.suspended,
            p.company_id, plan.monthly_credits, p.environment_id, p.published_version_id, p.current_version,
            p.matrix_revision, e.environment_id AS e_environment_id, e.name AS e_name, e.account_id AS e_account_id,
            e.company_id AS e_company_id, e.shared AS e_shared, e.offline_flow AS e_offline_flow, ${ONLINE} AS e_online
       FROM process p
       JOIN account a ON a.account_id = p.account_id
       JOIN company c ON c.company_id = p.company_id
       JOIN plan ON plan.plan_id = c.plan_id
       LEFT JOIN environment e ON e.environment_id = p.environment_id
      WHERE p.process_id IN (?)`,
    [processIDs],
  );
  const read = matrices
    ? await matrices.load(store, new Map(rows.map((row) => [row.process_id, row.matrix_revision])))
    : await readMatrices(store, processIDs);
  const launches = new Map<string, LaunchFacts>();
  const environments = new Map<string, EnvironmentFacts>();
  for (const row of rows) {
    const matrix = read.get(row.process_id);
    if (matrix) launches.set(row.process_id, toLaunch(row, matrix.variables));
    const environment = registeredOn(row);
    if (environment) environments.set(environment.environmentID, environment);
  }
  return { now: rows[0]?.now, launches, environments };
}

/** Of a row `e`. One look at the end of an index, where EXISTS is a subquery to be planned and run; null = never online. */
const ONLINE = `(SELECT MAX(s.lease_until) FROM agent_session s
                  WHERE s.environment_id = e.environment_id AND s.closed_at IS NULL) > UTC_TIMESTAMP(3)`;

/** Environments by id, with whether an agent is connected now. */
export async function environmentFacts(store: Store, environmentIDs: string[]): Promise<Map<string, EnvironmentFacts>> {
  if (environmentIDs.length === 0) return new Map();
  const rows = await store.rows<EnvironmentRow>(
    `SELECT e.environment_id, e.name, e.account_id, e.company_id, e.shared, e.offline_flow, ${ONLINE} AS online
       FROM environment e WHERE e.environment_id IN (?)`,
    [environmentIDs],
  );
  return new Map(rows.map((row) => [row.environment_id, toEnvironment(row)]));
}

/** The company of each account; a process owner's own company is in its launch facts already. */
export async function companiesOf(store: Store, accountIDs: string[]): Promise<Map<string, string>> {
  if (accountIDs.length === 0) return new Map();
  const rows = await store.rows<{ account_id: string; company_id: string | null }>(
    'SELECT account_id, company_id FROM account WHERE account_id IN (?)',
    [accountIDs],
  );
  return new Map(rows.flatMap((row) => (row.company_id === null ? [] : [[row.account_id, row.company_id]])));
}

function toLaunch(row: ProcessRow, matrix: MatrixVariable[]): LaunchFacts {
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

function registeredOn(row: LaunchRow): EnvironmentFacts | undefined {
  if (row.e_environment_id === null) return undefined;
  return toEnvironment({
    environment_id: row.e_environment_id,
    name: row.e_name,
    account_id: row.e_account_id,
    company_id: row.e_company_id,
    shared: row.e_shared,
    offline_flow: row.e_offline_flow,
    online: row.e_online,
  });
}

function toEnvironment(row: EnvironmentRow): EnvironmentFacts {
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
