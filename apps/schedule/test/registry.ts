import { mintSecret } from '@batuta/auth';
import type { Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';

export interface RegisteredProcess {
  companyID: string;
  planID: string;
  ownerID: string;
  environmentID: string;
  processID: string;
}

export interface RegisterOptions {
  scheduling?: boolean;
  ownerBlocked?: boolean;
  paused?: boolean;
  published?: boolean;
  withEnvironment?: boolean;
  matrix?: { name: string; type: string }[];
}

/** Inserts a company with a plan, an owner, an environment and a process; `options` overrides the defaults. */
export async function registerProcess(store: Store, options: RegisterOptions = {}): Promise<RegisteredProcess> {
  const [planID, companyID, environmentID, processID] = [uuid(), uuid(), uuid(), uuid()];
  const { scheduling = true, ownerBlocked = false, paused = false, withEnvironment = true, matrix = [] } = options;
  const now = new Date();
  await store.write('INSERT INTO plan VALUES (?, ?, 1, ?, 100, 30, 600, ?, NULL, NULL)', [
    planID,
    planID,
    scheduling,
    now,
  ]);
  await store.write('INSERT INTO company VALUES (?, ?, ?, 0, ?)', [companyID, 'c', planID, now]);
  const ownerID = await addAccount(store, companyID, ownerBlocked);
  await addEnvironment(store, { environmentID, accountID: ownerID, companyID });
  await store.write(
    `INSERT INTO process (process_id, account_id, company_id, environment_id, process_name, paused, created_at)
       VALUES (?, ?, ?, ?, 'Orders', ?, ?)`,
    [processID, ownerID, companyID, withEnvironment ? environmentID : null, paused, now],
  );
  for (const [position, { name, type }] of matrix.entries()) {
    const variable = [uuid(), processID, position, name, type, 'null'];
    await store.write('INSERT INTO matrix_variable VALUES (?)', [variable]);
  }
  return { companyID, planID, ownerID, environmentID, processID };
}

export async function addAccount(store: Store, companyID: string, blocked = false): Promise<string> {
  const accountID = uuid();
  const row = [accountID, companyID, `${accountID}@x`, 'o', 'member', 'h', blocked, new Date()];
  await store.write(
    'INSERT INTO account (account_id, company_id, email, name, role, password_hash, blocked, created_at) VALUES (?)',
    [row],
  );
  return accountID;
}

export async function addEnvironment(
  store: Store,
  given: { environmentID?: string; accountID: string; companyID: string; shared?: boolean },
): Promise<string> {
  const { environmentID = uuid(), accountID, companyID, shared = false } = given;
  const names = [environmentID, accountID, companyID, 'Plant', '', 'linux', 'prod'];
  const row = [...names, true, false, 1, shared, mintSecret('bak').hash, new Date()];
  await store.write('INSERT INTO environment VALUES (?)', [row]);
  return environmentID;
}

/** Shares a process with all permissions; with that of scheduling only if `schedule` is true. */
export async function shareProcess(
  store: Store,
  processID: string,
  accountID: string,
  schedule: boolean,
): Promise<void> {
  await store.write('INSERT INTO process_share VALUES (?, ?, 1, 1, 1, ?, 1, 1, ?)', [
    processID,
    accountID,
    schedule,
    new Date(),
  ]);
}
