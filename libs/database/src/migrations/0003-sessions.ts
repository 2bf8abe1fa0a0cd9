import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ID_TYPE, TABLE_OPTIONS, TIME_TYPE } from './types';

/** Sessions of agents, written by `router` only, and leased rate allowances, written by `gateway` and `console`. */
export class Sessions0003 implements MigrationInterface {
  readonly name = 'Sessions1700000000003';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}

const STATEMENTS = [
  // An agent is connected while `closed_at` is null and the lease has not expired. The lease of a closed session stays valid, so
  // that the agent can reconnect and continue the instances that it runs; those that were only offered are requeued.
  `CREATE TABLE IF NOT EXISTS agent_session (
    session_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    environment_id ${ID_TYPE} NOT NULL,
    router_id varchar(64) CHARACTER SET ascii NOT NULL,
    agent_name varchar(120) NOT NULL,
    runtime_version varchar(40) NOT NULL,
    abilities text NOT NULL,
    capacity int NOT NULL,
    connected_at ${TIME_TYPE} NOT NULL,
    lease_until ${TIME_TYPE} NOT NULL,
    closed_at ${TIME_TYPE} NULL,
    KEY agent_session_environment (environment_id, closed_at, lease_until),
    KEY agent_session_lease (lease_until)
  ) ${TABLE_OPTIONS}`,
  // One row per subject and minute: the number of requests that replicas have leased in blocks.
  `CREATE TABLE IF NOT EXISTS rate_allowance (
    subject varchar(80) CHARACTER SET ascii NOT NULL,
    window_start bigint NOT NULL,
    taken int NOT NULL,
    PRIMARY KEY (subject, window_start),
    KEY rate_allowance_window (window_start)
  ) ${TABLE_OPTIONS}`,
];
