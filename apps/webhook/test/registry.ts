import type { MappingEntry, PublishedMapping } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';

export interface TestProcess {
  companyID: string;
  ownerID: string;
  processID: string;
}

/** Inserts a company with a plan, an account that owns a process, and the process. */
export async function registerProcess(store: Store): Promise<TestProcess> {
  const [planID, companyID, ownerID, processID] = [uuid(), uuid(), uuid(), uuid()];
  const now = new Date();
  await store.write('INSERT INTO plan VALUES (?, ?, 1, 1, 100, 30, 600, ?, NULL, NULL)', [planID, planID, now]);
  await store.write('INSERT INTO company VALUES (?, ?, ?, 0, ?)', [companyID, 'c', planID, now]);
  const account = [ownerID, companyID, `${ownerID}@x`, 'o', 'member', 'h', false, now];
  await store.write(
    'INSERT INTO account (account_id, company_id, email, name, role, password_hash, blocked, created_at) VALUES (?)',
    [account],
  );
  await store.write(
    `INSERT INTO process (process_id, account_id, company_id, process_name, api_enabled, created_at)
       VALUES (?, ?, ?, 'Orders', 1, ?)`,
    [processID, ownerID, companyID, now],
  );
  return { companyID, ownerID, processID };
}

/** Inserts an account of the company that has a share of the process with the permission `edit` alone. Returns its id. */
export async function addEditor(store: Store, companyID: string, processID: string): Promise<string> {
  const [accountID, now] = [uuid(), new Date()];
  await store.write(
    'INSERT INTO account (account_id, company_id, email, name, role, password_hash, blocked, created_at) VALUES (?)',
    [[accountID, companyID, `${accountID}@x`, 'e', 'member', 'h', false, now]],
  );
  await store.write('INSERT INTO process_share VALUES (?, ?, 0, 1, 0, 0, 0, 0, ?)', [processID, accountID, now]);
  return accountID;
}

/** Inserts a Matrix variable. Returns its id. */
export async function addVariable(store: Store, processID: string, name: string, type = 'Texto'): Promise<string> {
  const variableID = uuid();
  await store.write('INSERT INTO matrix_variable VALUES (?)', [[variableID, processID, 0, name, type, 'null']]);
  return variableID;
}

/** Inserts an origin without URLs. Returns its id. */
export async function addOrigin(
  store: Store,
  processID: string,
  given: {
    originID?: string;
    saved?: MappingEntry[];
    unsaved?: MappingEntry[];
    signature?: (originID: string) => Buffer;
  } = {},
): Promise<string> {
  const { originID = uuid(), saved = [], unsaved, signature } = given;
  await store.write(
    `INSERT INTO origin (origin_id, process_id, name, response_mode, wait_seconds, signature, mapping_draft,
                         mapping_saved, created_at)
       VALUES (?, ?, 'Store', 'Imediata', 30, ?, ?, ?, UTC_TIMESTAMP(3))`,
    [
      originID,
      processID,
      signature?.(originID) ?? null,
      unsaved ? JSON.stringify(unsaved) : null,
      JSON.stringify(saved),
    ],
  );
  return originID;
}

/** Inserts a version with these mappings and publishes it. Returns its id. */
export async function publishVersion(store: Store, processID: string, mappings: PublishedMapping[]): Promise<string> {
  const versionID = uuid();
  await store.write(
    `INSERT INTO process_version (version_id, process_id, version, flow, mappings, published_by, published_at)
       SELECT ?, process_id, current_version + 1, '{}', ?, account_id, UTC_TIMESTAMP(3) FROM process WHERE process_id = ?`,
    [versionID, JSON.stringify(mappings), processID],
  );
  await store.write(
    'UPDATE process SET published_version_id = ?, current_version = current_version + 1 WHERE process_id = ?',
    [versionID, processID],
  );
  return versionID;
}
