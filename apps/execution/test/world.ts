import { Abilities } from '@batuta/agent-protocol';
import { mintSecret } from '@batuta/auth';
import type { StartRequest, Trigger } from '@batuta/contracts';
import { migrate, openStore, type Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { extendCallTimeLimits, LONG_STATEMENT_MS } from '../../../test/support/long-time-limits';
import { createMigratedDatabase } from '../../../test/support/migrated-database';
import { takeNatsUser, type TestDatabase } from '../../../test/support/servers';
import { serviceUserUrl } from '../../../test/support/service-users';
import { createExecution } from '../src/app';
import { readExecutionConfig } from '../src/config';

export interface ExecutionWorld {
  /** A connection with all rights, not that of the service. */
  store: Store;
  rpc: Rpc;
  /** The settings of the replicas. */
  env: NodeJS.ProcessEnv;
  /** Stops the replicas; database and NATS keep running. */
  stopServices(): Promise<void>;
  /** Stops the replicas and drops the database, also a given one. */
  close(): Promise<void>;
}

/** Starts replicas of the execution service with their own database, or with `given`, and their own user of NATS. */
export async function startWorld(
  replicas = 1,
  settings: NodeJS.ProcessEnv = {},
  given?: TestDatabase,
): Promise<ExecutionWorld> {
  extendCallTimeLimits();
  const [database, natsURL] = await Promise.all([given ?? createMigratedDatabase(), takeNatsUser()]);
  if (given) await migrate(given.url);
  const env = {
    DATABASE_URL: await serviceUserUrl(database.url, 'execution'),
    NATS_URL: natsURL,
    SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    LOG_LEVEL: 'silent',
    // The sweeps of these settings run too rarely to disturb a test, which calls them itself.
    SWEEP_MS: '60000',
    CLAIM_SECONDS: '600',
    RETENTION_SWEEP_MS: '86400000',
    ...settings,
  };
  const services = await Promise.all(Array.from({ length: replicas }, () => createExecution(readExecutionConfig(env))));
  const store = await openStore({ url: database.url, pool: 5, statementMs: LONG_STATEMENT_MS });
  const rpc = await Rpc.connect(natsURL, 'test');
  const stopServices = async () => {
    await Promise.all(services.splice(0).map((service) => service.close()));
  };
  return {
    store,
    rpc,
    env,
    stopServices,
    close: async () => {
      await rpc.close();
      await stopServices();
      await store.close();
      await database.drop();
    },
  };
}

export interface TestProcess {
  companyID: string;
  ownerID: string;
  environmentID: string;
  processID: string;
  /** The only version; its row exists even if the option `published` is false. */
  versionID: string;
}

interface RegisteredVariable {
  id?: string;
  name: string;
  type: string;
  default?: unknown;
}

export interface ProcessOptions {
  /** The monthly credits of the plan. */
  credits?: number;
  /** The environment keeps a queue while no agent is connected; true by default. */
  offlineFlow?: boolean;
  /** The environment cancels its queue when an instance ends in error. */
  cancelQueue?: boolean;
  published?: boolean;
  active?: boolean;
  ownerBlocked?: boolean;
  companySuspended?: boolean;
  matrix?: RegisteredVariable[];
  /** The published flow, as JSON text. */
  flow?: string;
  /** The abilities that the version needs; absent as in a version that a console of the previous release published. */
  needs?: string;
  /** The vault keys that the process may use; all to which `flow` refers when left out. */
  vaultKeys?: string[];
  /** The flow in development, as JSON text. */
  draft?: string | null;
}

const EMPTY_FLOW = '{"start":"a","steps":[]}';

/** Inserts a company with plan, owner, environment and process; `options` name what a test depends on. */
export async function registerProcess(store: Store, options: ProcessOptions = {}): Promise<TestProcess> {
  const [planID, companyID, ownerID] = [uuid(), uuid(), uuid()];
  const [environmentID, processID, versionID] = [uuid(), uuid(), uuid()];
  const now = new Date();
  const { credits = 100, offlineFlow = true, published = true, active = true, matrix = [] } = options;
  const { flow = EMPTY_FLOW, draft = EMPTY_FLOW } = options;
  await store.write('INSERT INTO plan VALUES (?, ?, 1, 1, ?, 30, 600, ?, NULL, NULL)', [planID, planID, credits, now]);
  await store.write('INSERT INTO company VALUES (?, ?, ?, ?, ?)', [
    companyID,
    'c',
    planID,
    options.companySuspended ?? false,
    now,
  ]);
  await store.write(
    `INSERT INTO account (account_id, company_id, email, name, role, password_hash, blocked, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [ownerID, companyID, `${ownerID}@x`, 'o', 'member', 'h', options.ownerBlocked ?? false, now],
  );
  await store.write('INSERT INTO environment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)', [
    environmentID,
    ownerID,
    companyID,
    'Plant',
    '',
    'linux',
    'prod',
    offlineFlow,
    options.cancelQueue ?? false,
    1,
    mintSecret('bak').hash,
    now,
  ]);
  await store.write(
    `INSERT INTO process (process_id, account_id, company_id, environment_id, process_name, active, avg_human_time,
       avg_operator_cost, current_version, published_version_id, draft_flow, created_at)
     VALUES (?, ?, ?, ?, 'P', ?, '00:30:00', 50, ?, ?, ?, ?)`,
    [processID, ownerID, companyID, environmentID, active, published ? 1 : 0, published ? versionID : null, draft, now],
  );
  await store.write('INSERT INTO process_version VALUES (?, ?, 1, ?, ?, ?, ?, ?)', [
    versionID,
    processID,
    flow,
    '[]',
    ownerID,
    now,
    options.needs ?? null,
  ]);
  const { vaultKeys = Array.from(flow.matchAll(/\{vault\.(\w+)\}/g), ([, key = '']) => key) } = options;
  await allowVaultKeys(store, processID, vaultKeys);
  await insertVariables(store, processID, matrix);
  return { companyID, ownerID, environmentID, processID, versionID };
}

export async function allowVaultKeys(store: Store, processID: string, keys: string[]): Promise<void> {
  for (const key of keys) await store.write('INSERT INTO process_vault_key VALUES (?, ?)', [processID, key]);
}

/** Replaces the Matrix of a process as the console does: with the next revision, in one transaction. */
export async function replaceMatrix(store: Store, processID: string, matrix: RegisteredVariable[]): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.write('UPDATE process SET matrix_revision = matrix_revision + 1 WHERE process_id = ?', [processID]);
    await tx.write('DELETE FROM matrix_variable WHERE process_id = ?', [processID]);
    await insertVariables(tx, processID, matrix);
  });
}

async function insertVariables(store: Store, processID: string, matrix: RegisteredVariable[]): Promise<void> {
  for (const [position, variable] of matrix.entries()) {
    await store.write('INSERT INTO matrix_variable VALUES (?, ?, ?, ?, ?, ?)', [
      variable.id ?? uuid(),
      processID,
      position,
      variable.name,
      variable.type,
      JSON.stringify(variable.default ?? null),
    ]);
  }
}

/** Inserts the session of a connected agent; a negative `leaseSeconds` makes it an expired one. */
export async function connectAgent(
  store: Store,
  environmentID: string,
  leaseSeconds = 3_600,
  abilities: readonly string[] = Abilities.announced().list,
): Promise<string> {
  const sessionID = uuid();
  await store.write(
    `INSERT INTO agent_session VALUES (?, ?, 'r', 'a', '1', ?, 1, UTC_TIMESTAMP(3),
       UTC_TIMESTAMP(3) + INTERVAL ? SECOND, NULL, NULL)`,
    [sessionID, environmentID, JSON.stringify(abilities), leaseSeconds],
  );
  return sessionID;
}

/** The request of a start by the process owner over the API, with a deadline in one minute. */
export function startRequest(process: TestProcess, over: Partial<StartRequest> = {}): StartRequest {
  const trigger: Trigger = { kind: 'api', accountID: process.ownerID, userName: 'erp', executor: 'erp-key' };
  return { instanceID: uuid(), deadline: Date.now() + 60_000, processID: process.processID, trigger, ...over };
}

/** The balance and the sum of the ledger, which are always equal. */
export async function creditsOf(store: Store, companyID: string): Promise<{ balance: number; ledger: number }> {
  const account = await store.row<{ balance: number }>('SELECT balance FROM credit_account WHERE company_id = ?', [
    companyID,
  ]);
  const ledger = await store.row<{ sum: string | null }>(
    'SELECT SUM(amount) AS sum FROM credit_entry WHERE company_id = ?',
    [companyID],
  );
  return { balance: account?.balance ?? 0, ledger: Number(ledger?.sum ?? 0) };
}

export async function countOf(store: Store, table: string, where: string, parameters: unknown[]): Promise<number> {
  const row = await store.row<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE ${where}`, parameters);
  return row?.n ?? 0;
}
