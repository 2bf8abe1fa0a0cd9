/** What a service does to a table. LOCK reads rows FOR UPDATE without writing them. */
export const DATABASE_VERBS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'LOCK'] as const;
export type DatabaseVerb = (typeof DATABASE_VERBS)[number];

/** Verbs by table. */
export type TableRights = Record<string, readonly DatabaseVerb[]>;

export const DATABASE_SERVICES = ['console', 'execution', 'gateway', 'router', 'schedule', 'webhook'] as const;
export type DatabaseService = (typeof DATABASE_SERVICES)[number];

/**
 * The rights of each service's database user: those that the statements in its source need, and no others, as
 * `test/unit/deployment-database.test.ts` proves. Only the user of the migration changes the schema. During an upgrade the previous release
 * still runs: a right whose last use is removed stays here for one release, as an exception in the test.
 */
export const DATABASE_RIGHTS: Record<DatabaseService, TableRights> = {
  console: {
    account: ['SELECT', 'INSERT', 'UPDATE', 'LOCK'],
    account_event: ['SELECT', 'INSERT', 'DELETE'],
    agent_session: ['SELECT'],
    company: ['SELECT', 'INSERT', 'UPDATE', 'LOCK'],
    credential: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    deleted_process: ['INSERT'],
    email_problem: ['SELECT', 'DELETE'],
    environment: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    login_session: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    management_event: ['SELECT', 'INSERT', 'DELETE'],
    matrix_variable: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    origin: ['SELECT'],
    plan: ['SELECT', 'INSERT', 'UPDATE'],
    process: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'LOCK'],
    process_key: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    process_share: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    process_vault_key: ['SELECT', 'INSERT', 'DELETE'],
    process_version: ['SELECT', 'INSERT', 'DELETE'],
    rate_allowance: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    schedule: ['SELECT'],
    share_invitation: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    vault_secret: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    schema_migration: ['SELECT'],
  },
  execution: {
    account: ['SELECT'],
    agent_session: ['SELECT'],
    audit_event: ['SELECT', 'INSERT', 'DELETE'],
    company: ['SELECT'],
    credential: ['SELECT'],
    credit_account: ['SELECT', 'INSERT', 'UPDATE', 'LOCK'],
    credit_adjustment: ['SELECT', 'INSERT'],
    credit_entry: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'LOCK'],
    deleted_process: ['SELECT', 'DELETE'],
    environment: ['SELECT'],
    event_delivery: ['INSERT'],
    event_subscription: ['SELECT'],
    evidence: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'LOCK'],
    evidence_part: ['SELECT', 'INSERT', 'DELETE'],
    evidence_usage: ['SELECT', 'INSERT', 'UPDATE', 'LOCK'],
    idempotency_key: ['SELECT', 'INSERT', 'DELETE'],
    instance: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'LOCK'],
    instance_answer: ['SELECT', 'INSERT', 'DELETE'],
    instance_input: ['SELECT', 'INSERT', 'DELETE'],
    instance_log: ['SELECT', 'INSERT', 'DELETE'],
    instance_secret_answer: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'LOCK'],
    instance_values: ['SELECT', 'INSERT', 'DELETE'],
    lease_health: ['SELECT'],
    login_session: ['SELECT'],
    management_event: ['INSERT'],
    matrix_variable: ['SELECT'],
    plan: ['SELECT'],
    process: ['SELECT'],
    process_share: ['SELECT'],
    process_vault_key: ['SELECT'],
    process_version: ['SELECT'],
    queue_cancellation: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'LOCK'],
    share_event: ['SELECT', 'INSERT', 'DELETE'],
    share_event_cursor: ['SELECT', 'INSERT', 'UPDATE', 'LOCK'],
    vault_secret: ['SELECT'],
    schema_migration: ['SELECT'],
  },
  gateway: {
    account: ['SELECT'],
    agent_session: ['SELECT'],
    company: ['SELECT'],
    credential: ['SELECT'],
    environment: ['SELECT'],
    matrix_variable: ['SELECT'],
    origin: ['SELECT'],
    origin_token: ['SELECT'],
    plan: ['SELECT'],
    process: ['SELECT'],
    process_key: ['SELECT'],
    process_share: ['SELECT'],
    rate_allowance: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    schema_migration: ['SELECT'],
  },
  router: {
    agent_session: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    environment: ['SELECT'],
    lease_health: ['SELECT', 'INSERT', 'UPDATE'],
    schema_migration: ['SELECT'],
  },
  schedule: {
    account: ['SELECT'],
    agent_session: ['SELECT'],
    company: ['SELECT', 'LOCK'],
    credential: ['SELECT'],
    environment: ['SELECT'],
    event_delivery: ['INSERT'],
    event_subscription: ['SELECT'],
    login_session: ['SELECT'],
    management_event: ['INSERT'],
    matrix_variable: ['SELECT'],
    plan: ['SELECT'],
    process: ['SELECT'],
    process_key: ['SELECT'],
    process_share: ['SELECT'],
    schedule: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'LOCK'],
    schedule_backlog: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'LOCK'],
    schedule_firing: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'LOCK'],
    schema_migration: ['SELECT'],
  },
  webhook: {
    account: ['SELECT'],
    capture: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'LOCK'],
    company: ['SELECT', 'LOCK'],
    event_delivery: ['SELECT', 'UPDATE', 'DELETE', 'LOCK'],
    event_subscription: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'LOCK'],
    login_session: ['SELECT'],
    management_event: ['INSERT'],
    matrix_variable: ['SELECT'],
    origin: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'LOCK'],
    origin_token: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    process: ['SELECT'],
    process_share: ['SELECT'],
    process_version: ['SELECT'],
    waiting_call: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'LOCK'],
    schema_migration: ['SELECT'],
  },
};

/** Returns `name` if it is a service; otherwise throws an Error that names the services. */
export function asService(name: string): DatabaseService {
  const service = DATABASE_SERVICES.find((known) => known === name);
  if (service) return service;
  throw new Error(`"${name}" is no service; the services are ${DATABASE_SERVICES.join(', ')}.`);
}
