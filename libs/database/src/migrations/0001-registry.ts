import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ID_TYPE, TABLE_OPTIONS, TIME_TYPE } from './types';

/** The registry: companies, accounts, environments, processes and their permissions. Written by `console` only. */
export class Registry0001 implements MigrationInterface {
  readonly name = 'Registry1700000000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}

const STATEMENTS = [
  `CREATE TABLE IF NOT EXISTS plan (
    plan_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    name varchar(120) NOT NULL,
    api_access tinyint(1) NOT NULL,
    scheduling tinyint(1) NOT NULL,
    monthly_credits int NOT NULL,
    log_retention_days int NOT NULL,
    requests_per_minute int NOT NULL,
    created_at ${TIME_TYPE} NOT NULL,
    UNIQUE KEY plan_name (name)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS company (
    company_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    name varchar(120) NOT NULL,
    plan_id ${ID_TYPE} NOT NULL,
    suspended tinyint(1) NOT NULL DEFAULT 0,
    created_at ${TIME_TYPE} NOT NULL,
    KEY company_plan (plan_id)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS account (
    account_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    company_id ${ID_TYPE} NULL,
    email varchar(254) NOT NULL,
    name varchar(120) NOT NULL,
    role varchar(16) CHARACTER SET ascii NOT NULL,
    password_hash varchar(255) CHARACTER SET ascii NOT NULL,
    blocked tinyint(1) NOT NULL DEFAULT 0,
    created_at ${TIME_TYPE} NOT NULL,
    UNIQUE KEY account_email (email),
    KEY account_company (company_id)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS login_session (
    token_hash binary(32) NOT NULL PRIMARY KEY,
    account_id ${ID_TYPE} NOT NULL,
    created_at ${TIME_TYPE} NOT NULL,
    expires_at ${TIME_TYPE} NOT NULL,
    KEY login_session_account (account_id),
    KEY login_session_expiry (expires_at)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS credential (
    credential_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    account_id ${ID_TYPE} NOT NULL,
    label varchar(120) NOT NULL,
    secret_hash binary(32) NOT NULL,
    created_at ${TIME_TYPE} NOT NULL,
    expires_at ${TIME_TYPE} NULL,
    revoked_at ${TIME_TYPE} NULL,
    KEY credential_account (account_id)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS environment (
    environment_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    account_id ${ID_TYPE} NOT NULL,
    company_id ${ID_TYPE} NOT NULL,
    name varchar(120) NOT NULL,
    description varchar(2000) NOT NULL DEFAULT '',
    os varchar(40) NOT NULL,
    env_type varchar(40) NOT NULL,
    offline_flow tinyint(1) NOT NULL,
    cancel_queue_on_exception tinyint(1) NOT NULL,
    capacity int NOT NULL,
    shared tinyint(1) NOT NULL DEFAULT 0,
    activation_key_hash binary(32) NOT NULL,
    created_at ${TIME_TYPE} NOT NULL,
    UNIQUE KEY environment_key (activation_key_hash),
    KEY environment_account (account_id, environment_id),
    KEY environment_company (company_id, shared, environment_id)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS process (
    process_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    account_id ${ID_TYPE} NOT NULL,
    company_id ${ID_TYPE} NOT NULL,
    environment_id ${ID_TYPE} NULL,
    process_name varchar(120) NOT NULL,
    description varchar(2000) NOT NULL DEFAULT '',
    active tinyint(1) NOT NULL DEFAULT 1,
    paused tinyint(1) NOT NULL DEFAULT 0,
    api_enabled tinyint(1) NOT NULL DEFAULT 0,
    avg_human_time varchar(9) CHARACTER SET ascii NOT NULL DEFAULT '00:00:00',
    avg_operator_cost decimal(14,2) NOT NULL DEFAULT 0,
    draft_flow longtext NULL,
    current_version int NOT NULL DEFAULT 0,
    published_version_id ${ID_TYPE} NULL,
    created_at ${TIME_TYPE} NOT NULL,
    KEY process_account (account_id, process_id),
    KEY process_environment (environment_id)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS process_version (
    version_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    process_id ${ID_TYPE} NOT NULL,
    version int NOT NULL,
    flow longtext NOT NULL,
    mappings longtext NOT NULL,
    published_by ${ID_TYPE} NOT NULL,
    published_at ${TIME_TYPE} NOT NULL,
    UNIQUE KEY process_version_number (process_id, version)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS matrix_variable (
    variable_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    process_id ${ID_TYPE} NOT NULL,
    position int NOT NULL,
    name varchar(80) COLLATE utf8mb4_bin NOT NULL,
    type varchar(20) COLLATE utf8mb4_bin NOT NULL,
    default_value longtext NOT NULL,
    KEY matrix_variable_process (process_id, position)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS process_key (
    key_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    process_id ${ID_TYPE} NOT NULL,
    identifier varchar(120) NOT NULL,
    secret_hash binary(32) NOT NULL,
    created_at ${TIME_TYPE} NOT NULL,
    expires_at ${TIME_TYPE} NULL,
    revoked_at ${TIME_TYPE} NULL,
    UNIQUE KEY process_key_secret (secret_hash),
    KEY process_key_process (process_id)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS process_share (
    process_id ${ID_TYPE} NOT NULL,
    account_id ${ID_TYPE} NOT NULL,
    may_execute tinyint(1) NOT NULL,
    may_edit tinyint(1) NOT NULL,
    may_api tinyint(1) NOT NULL,
    may_schedule tinyint(1) NOT NULL,
    may_delete tinyint(1) NOT NULL,
    may_share tinyint(1) NOT NULL,
    created_at ${TIME_TYPE} NOT NULL,
    PRIMARY KEY (process_id, account_id),
    KEY process_share_account (account_id, process_id)
  ) ${TABLE_OPTIONS}`,
  `CREATE TABLE IF NOT EXISTS vault_secret (
    account_id ${ID_TYPE} NOT NULL,
    vault_key varchar(80) COLLATE utf8mb4_bin NOT NULL,
    sealed longblob NOT NULL,
    updated_at ${TIME_TYPE} NOT NULL,
    PRIMARY KEY (account_id, vault_key)
  ) ${TABLE_OPTIONS}`,
];
