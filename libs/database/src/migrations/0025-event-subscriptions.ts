import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ID_TYPE, TABLE_OPTIONS, TIME_TYPE } from './types';

/** Event subscriptions of companies, and the deliveries of their events. */
export class EventSubscriptions0025 implements MigrationInterface {
  readonly name = 'EventSubscriptions1700000000025';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are only added');
  }
}

const STATEMENTS = [
  // `process_id` null = every process of the company. `events` = the wanted statuses of ended instances and results of firings,
  // separated by commas. `sealed_previous` = the previous secret; messages are also signed with it until `previous_until`.
  // `disabled_reason` = why the service switched the subscription off.
  `CREATE TABLE IF NOT EXISTS event_subscription (
    subscription_id ${ID_TYPE} NOT NULL PRIMARY KEY,
    company_id ${ID_TYPE} NOT NULL,
    process_id ${ID_TYPE} NULL,
    url varchar(2000) COLLATE utf8mb4_bin NOT NULL,
    events varchar(60) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    sealed_secret varbinary(512) NOT NULL,
    sealed_previous varbinary(512) NULL,
    previous_until ${TIME_TYPE} NULL,
    enabled tinyint(1) NOT NULL,
    disabled_reason varchar(20) CHARACTER SET ascii NULL,
    last_success_at ${TIME_TYPE} NULL,
    first_failure_at ${TIME_TYPE} NULL,
    created_at ${TIME_TYPE} NOT NULL,
    KEY event_subscription_company (company_id, subscription_id)
  ) ${TABLE_OPTIONS}`,
  // One row for each event that a subscription asks for, written in the transaction that ends the instance or settles the firing; for a
  // firing `instance_id` is the id of the event. `next_attempt_at` is null once the delivery is final; during an attempt it is the end of
  // the attempt's lease.
  `CREATE TABLE IF NOT EXISTS event_delivery (
    subscription_id ${ID_TYPE} NOT NULL,
    instance_id ${ID_TYPE} NOT NULL,
    company_id ${ID_TYPE} NOT NULL,
    process_id ${ID_TYPE} NOT NULL,
    event varchar(30) CHARACTER SET ascii NOT NULL,
    payload text NOT NULL,
    status varchar(10) CHARACTER SET ascii NOT NULL,
    attempts smallint NOT NULL DEFAULT 0,
    next_attempt_at ${TIME_TYPE} NULL,
    last_status smallint NULL,
    last_error varchar(200) NULL,
    created_at ${TIME_TYPE} NOT NULL,
    settled_at ${TIME_TYPE} NULL,
    PRIMARY KEY (subscription_id, instance_id),
    KEY event_delivery_due (next_attempt_at, subscription_id),
    KEY event_delivery_status (subscription_id, status, created_at, instance_id)
  ) ${TABLE_OPTIONS}`,
];
