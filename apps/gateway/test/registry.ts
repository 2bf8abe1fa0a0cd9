import { hashSecret, mintCredential, mintSecret, PERMISSIONS, type Permission } from '@batuta/auth';
import type { Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';

export interface TestCompany {
  companyID: string;
  planID: string;
}

export interface TestAccount {
  accountID: string;
  /** Null for an operator. */
  companyID: string | null;
  email: string;
  name: string;
}

export interface TestCredential {
  credentialID: string;
  label: string;
  /** The whole credential, as a client sends it. */
  value: string;
}

export interface TestOrigin {
  originID: string;
  /** The tokens of its development and its production URL. */
  dev: string;
  prod: string;
}

/** Inserts registry rows for tests, together with the parent rows that a test does not name. */
export class TestRegistry {
  constructor(private readonly store: Store) {}

  async addCompany(
    plan: { apiAccess?: boolean; requestsPerMinute?: number } = {},
    { suspended = false } = {},
  ): Promise<TestCompany> {
    const [companyID, planID] = [uuid(), uuid()];
    await this.insert('plan', {
      plan_id: planID,
      name: planID,
      api_access: plan.apiAccess ?? true,
      scheduling: true,
      monthly_credits: 100,
      log_retention_days: 30,
      requests_per_minute: plan.requestsPerMinute ?? 10_000,
      created_at: new Date(),
    });
    await this.insert('company', {
      company_id: companyID,
      name: companyID,
      plan_id: planID,
      suspended,
      created_at: new Date(),
    });
    return { companyID, planID };
  }

  async addAccount(given: { companyID?: string | null; blocked?: boolean; name?: string } = {}): Promise<TestAccount> {
    const accountID = uuid();
    const companyID = given.companyID === undefined ? (await this.addCompany()).companyID : given.companyID;
    const [email, name] = [`${accountID}@example.com`, given.name ?? 'Ana'];
    await this.insert('account', {
      account_id: accountID,
      company_id: companyID,
      email,
      name,
      role: companyID === null ? 'operator' : 'member',
      password_hash: 'none',
      blocked: given.blocked ?? false,
      created_at: new Date(),
    });
    return { accountID, companyID, email, name };
  }

  async addCredential(
    accountID: string,
    { label = 'ERP', expiresAt, revokedAt }: { label?: string; expiresAt?: Date; revokedAt?: Date } = {},
  ): Promise<TestCredential> {
    const credentialID = uuid();
    const { value, hash } = mintCredential(credentialID);
    await this.insert('credential', {
      credential_id: credentialID,
      account_id: accountID,
      label,
      secret_hash: hash,
      created_at: new Date(),
      expires_at: expiresAt ?? null,
      revoked_at: revokedAt ?? null,
    });
    return { credentialID, label, value };
  }

  async addEnvironment(
    { accountID, companyID }: TestAccount,
    { name = 'Office', shared = false, offlineFlow = true } = {},
  ): Promise<string> {
    const environmentID = uuid();
    await this.insert('environment', {
      environment_id: environmentID,
      account_id: accountID,
      company_id: companyID,
      name,
      description: 'a machine',
      os: 'windows',
      env_type: 'prod',
      offline_flow: offlineFlow,
      cancel_queue_on_exception: false,
      capacity: 1,
      shared,
      activation_key_hash: mintSecret('bak').hash,
      created_at: new Date(),
    });
    return environmentID;
  }

  /** An agent session whose lease ends `leaseSeconds` from now by the clock of the database. */
  async addSession(environmentID: string, { leaseSeconds = 60, closed = false } = {}): Promise<void> {
    await this.store.write(
      `INSERT INTO agent_session (session_id, environment_id, router_id, agent_name, runtime_version, abilities, capacity,
         connected_at, lease_until, closed_at)
       VALUES (?, ?, 'r', 'agent', '1', '[]', 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL ? SECOND, ${closed ? 'UTC_TIMESTAMP(3)' : 'NULL'})`,
      [uuid(), environmentID, leaseSeconds],
    );
  }

  async addProcess(
    { accountID, companyID }: TestAccount,
    given: {
      active?: boolean;
      apiEnabled?: boolean;
      environmentID?: string;
      name?: string;
      paused?: boolean;
      versionID?: string;
    } = {},
  ): Promise<string> {
    const processID = uuid();
    await this.insert('process', {
      process_id: processID,
      account_id: accountID,
      company_id: companyID,
      environment_id: given.environmentID ?? null,
      process_name: given.name ?? 'Orders',
      description: 'takes orders',
      active: given.active ?? true,
      paused: given.paused ?? false,
      api_enabled: given.apiEnabled ?? true,
      avg_human_time: '00:12:30',
      avg_operator_cost: '35.50',
      current_version: 3,
      published_version_id: given.versionID ?? null,
      created_at: new Date(),
    });
    return processID;
  }

  /** Adds Matrix variables to the process, in this order. `default` is the value after its conversion to the type. */
  async addMatrix(processID: string, variables: { name: string; type: string; default?: unknown }[]): Promise<void> {
    for (const [position, { name, type, default: registered }] of variables.entries()) {
      await this.insert('matrix_variable', {
        variable_id: uuid(),
        process_id: processID,
        position,
        name,
        type,
        default_value: JSON.stringify(registered ?? null),
      });
    }
  }

  /** Adds a process key; returns it as a client sends it. */
  async addKey(
    processID: string,
    { identifier = 'erp-key', expiresAt, revokedAt }: { identifier?: string; expiresAt?: Date; revokedAt?: Date } = {},
  ): Promise<string> {
    const { value } = mintSecret('bpk');
    await this.insert('process_key', {
      key_id: uuid(),
      process_id: processID,
      identifier,
      secret_hash: hashSecret(value),
      created_at: new Date(),
      expires_at: expiresAt ?? null,
      revoked_at: revokedAt ?? null,
    });
    return value;
  }

  /** An origin with a development and a production token. */
  async addOrigin(
    processID: string,
    given: { responseMode?: 'Imediata' | 'Aguardar'; waitSeconds?: number; enabled?: boolean; signed?: boolean } = {},
  ): Promise<TestOrigin> {
    const originID = uuid();
    await this.insert('origin', {
      origin_id: originID,
      process_id: processID,
      name: 'Shop',
      response_mode: given.responseMode ?? 'Imediata',
      wait_seconds: given.waitSeconds ?? 30,
      enabled: given.enabled ?? true,
      signature: given.signed ? 'sealed' : null,
      mapping_saved: '[]',
      created_at: new Date(),
    });
    return { originID, dev: await this.addToken(originID, 'dev'), prod: await this.addToken(originID, 'prod') };
  }

  async addToken(originID: string, kind: 'dev' | 'prod', { revokedAt }: { revokedAt?: Date } = {}): Promise<string> {
    const { value, hash } = mintSecret('bwh');
    await this.insert('origin_token', {
      token_hash: hash,
      origin_id: originID,
      kind,
      created_at: new Date(),
      revoked_at: revokedAt ?? null,
    });
    return value;
  }

  async addShare(processID: string, accountID: string, granted: Permission[]): Promise<void> {
    const columns = PERMISSIONS.map((permission) => [`may_${permission}`, granted.includes(permission)]);
    await this.insert('process_share', {
      process_id: processID,
      account_id: accountID,
      ...Object.fromEntries(columns),
      created_at: new Date(),
    });
  }

  private async insert(table: string, row: Record<string, unknown>): Promise<void> {
    await this.store.write(`INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (?)`, [Object.values(row)]);
  }
}
