import type { Store } from '@batuta/database';

// The rows that a test writes into the tables from which sweeps delete, to see that each sweep reads by an index.

/** The number of rows of most tables, some have more; with fewer the optimizer would read whole tables instead of indexes. */
export const ROW_COUNT = 4_000;
/** The number of rows of each table that are old enough to be deleted; more than the largest bite. */
const OLD_ROW_COUNT = 1_500;
export const PROCESS_ID = '00000000-0000-7000-8000-000000000001';
/** A plan that says for how many days audit events and ledger entries are kept; the company `COMPANY` has it. */
const LIMITED_RETENTION_PLAN = '00000000-0000-7000-8000-000000000003';
/** Ids of the rows to which many others belong. They may be equal, because each is in a table of its own. */
export const [COMPANY, PLAN, SCHEDULE, SUBSCRIPTION] = [PROCESS_ID, PROCESS_ID, PROCESS_ID, PROCESS_ID];
/** An environment whose queue is being cancelled, and the process of its instances. */
export const CANCELLED_ENVIRONMENT_ID = '00000000-0000-7000-8000-000000000002';
/** A subscription that was removed while deliveries waited, so that only the deliveries are there. */
export const REMOVED_SUBSCRIPTION = CANCELLED_ENVIRONMENT_ID;

/** SQL of the time of a row: the first OLD_ROW_COUNT rows are older than every retention, the others are new. */
const TIME_OF_ROW_SQL = `UTC_TIMESTAMP(3) - INTERVAL IF(seq <= ${OLD_ROW_COUNT}, 500, 0) DAY`;
const ROW_SEQUENCE = `seq_1_to_${ROW_COUNT}`;
/** More rows, for tables in which a statement finds a whole batch by ids: the batch must be a small part of the table. */
const LONG_SEQUENCE = `seq_1_to_${5 * ROW_COUNT}`;
const FILL_STATEMENTS = [
  `INSERT INTO plan (plan_id, name, api_access, scheduling, monthly_credits, log_retention_days, requests_per_minute, created_at)
     SELECT IF(seq = 1, '${PLAN}', UUID()), CONCAT('p', seq), 1, 1, 100, 30, 600, NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO company (company_id, name, plan_id, suspended, created_at)
     SELECT IF(seq = 1, '${COMPANY}', UUID()), 'c', IF(seq = 1, '${LIMITED_RETENTION_PLAN}', '${PLAN}'), 0, NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO plan (plan_id, name, api_access, scheduling, monthly_credits, log_retention_days, requests_per_minute, audit_days, ledger_days, created_at)
     VALUES ('${LIMITED_RETENTION_PLAN}', 'limited', 1, 1, 100, 30, 600, 30, 30, NOW(3))`,
  `INSERT INTO process (process_id, account_id, company_id, process_name, created_at)
     SELECT IF(seq = 1, '${PROCESS_ID}', UUID()), UUID(), IF(seq % 100 = 1, '${COMPANY}', UUID()), 'P', NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO deleted_process (process_id, company_id, deleted_at)
     SELECT UUID(), IF(seq % 100 = 1, '${COMPANY}', UUID()), ${TIME_OF_ROW_SQL} FROM ${LONG_SEQUENCE}`,
  `INSERT INTO audit_event (process_id, action, executor, detail, created_at)
     SELECT IF(seq % 3 = 1, '${PROCESS_ID}', UUID()), 'start', 'e', '{}', ${TIME_OF_ROW_SQL} FROM ${LONG_SEQUENCE}`,
  `INSERT INTO share_event (process_id, account_id, event_id) SELECT process_id, UUID(), event_id FROM audit_event`,
  `INSERT INTO credit_entry (company_id, kind, amount, instance_id, created_at)
     SELECT IF(seq % 2 = 1, '${COMPANY}', UUID()), 'start', -1, UUID(), ${TIME_OF_ROW_SQL} FROM ${LONG_SEQUENCE}`,
  `INSERT INTO management_event (event_id, company_id, action, object_id, detail, created_at)
     SELECT CONCAT(IF(seq <= ${OLD_ROW_COUNT}, '0', 'f'), UUID_SHORT()), IF(seq % 2 = 1, '${COMPANY}', UUID()), 'vault.put', 'k', '{}', NOW(3)
       FROM ${LONG_SEQUENCE}`,
  `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, environment_id, version_id,
       version, trigger_kind, user_name, executor, request_id, status, accepted_as, accepted_at, finished_at, history_at, has_log)
     SELECT UUID(), '${PROCESS_ID}', 'P', '${COMPANY}', '${COMPANY}', '${COMPANY}', '${COMPANY}', 1, 'api', 'u', 'e', 'r',
            IF(seq % 500 = 0, 'running', 'success'), 'started', ${TIME_OF_ROW_SQL}, IF(seq % 500 = 0, NULL, ${TIME_OF_ROW_SQL}),
            IF(seq % 500 = 0, NULL, ${TIME_OF_ROW_SQL}), seq % 100 = 1 FROM ${LONG_SEQUENCE}`,
  `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, environment_id, version_id,
       version, trigger_kind, user_name, executor, request_id, status, accepted_as, accepted_at)
     SELECT UUID(), '${CANCELLED_ENVIRONMENT_ID}', 'P', '${COMPANY}', '${COMPANY}', '${CANCELLED_ENVIRONMENT_ID}', '${COMPANY}', 1, 'api', 'u', 'e', 'r',
            'queued', 'queued', NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO queue_cancellation (environment_id, cancel_before)
     SELECT IF(seq = 1, '${CANCELLED_ENVIRONMENT_ID}', UUID()), NOW(3) + INTERVAL 1 DAY FROM ${ROW_SEQUENCE}`,
  `INSERT INTO instance_input (instance_id, sealed) SELECT instance_id, 'x' FROM instance`,
  `INSERT INTO instance_values (instance_id, sealed) SELECT instance_id, 'x' FROM instance`,
  `INSERT INTO instance_log (instance_id, line, logged_at, severity, message, step, evidence)
     SELECT instance_id, seq, NOW(3), 'INFO', 'm', 's', NULL FROM instance JOIN seq_1_to_50
     WHERE has_log = 1`,
  `INSERT INTO instance_answer (instance_id, valid, code, body, recorded_at)
     SELECT instance_id, 1, 200, '{}', NOW(3) FROM instance`,
  `INSERT INTO instance_secret_answer (instance_id, masked, sealed, sealed_at)
     SELECT instance_id, '{}', 'x', accepted_at FROM instance`,
  `INSERT INTO evidence (evidence_id, instance_id, fence, process_id, company_id, media_type, bytes, complete, location, created_at)
     SELECT UUID(), UUID(), 1, '${PROCESS_ID}', IF(seq % 10 = 0, '${COMPANY}', UUID()), 'image/png', 8, seq % 10, IF(seq % 2, '', 's3://b/'),
            ${TIME_OF_ROW_SQL} FROM ${ROW_SEQUENCE}`,
  `INSERT INTO evidence_part (evidence_id, part, content) SELECT evidence_id, 1, 'x' FROM evidence`,
  `INSERT INTO idempotency_key (key_hash, instance_id, status, body_hash, created_at)
     SELECT UNHEX(SHA2(seq, 256)), UUID(), 'started', UNHEX(SHA2(seq, 256)), ${TIME_OF_ROW_SQL} FROM ${ROW_SEQUENCE}`,
  `INSERT INTO login_session (token_hash, account_id, created_at, expires_at)
     SELECT UNHEX(SHA2(seq, 256)), UUID(), ${TIME_OF_ROW_SQL}, ${TIME_OF_ROW_SQL} + INTERVAL 12 HOUR FROM ${ROW_SEQUENCE}`,
  `INSERT INTO agent_session (session_id, environment_id, router_id, agent_name, runtime_version, abilities, capacity, connected_at, lease_until, closed_at)
     SELECT UUID(), '${COMPANY}', 'r', 'a', '1', '[]', 1, ${TIME_OF_ROW_SQL}, ${TIME_OF_ROW_SQL} + INTERVAL 1 MINUTE, NULL FROM ${ROW_SEQUENCE}`,
  `INSERT INTO rate_allowance (subject, window_start, taken)
     SELECT CONCAT('s', seq), IF(seq <= ${OLD_ROW_COUNT}, 1, 1000), 1 FROM ${ROW_SEQUENCE}`,
  `INSERT INTO schedule (schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix, environment_id, active, next_at, created_at)
     SELECT IF(seq = 1, '${SCHEDULE}', UUID()), IF(seq <= 3, UUID(), '${PROCESS_ID}'), UUID(), 'u', 'e', 'n',
     '* * * * *', '{}', NULL, 1, NOW(3), NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO schedule_firing (schedule_id, nominal_at, instance_id, result, reason_code, reason_message, attempts, next_attempt_at, expires_at, settled_at)
     SELECT '${SCHEDULE}', NOW(3) - INTERVAL IF(seq <= ${OLD_ROW_COUNT}, 500, 0) DAY - INTERVAL seq MINUTE,
     UUID(), IF(seq % 2 = 0, 'pending', 'fired'), NULL, NULL, 1, IF(seq % 2 = 0, NOW(3), NULL), NULL, NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO schedule_backlog (schedule_id, from_at, until_at) SELECT UUID(), NOW(3), NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO origin (origin_id, process_id, name, response_mode, wait_seconds, mapping_saved, created_at)
     SELECT UUID(), IF(seq <= 3, UUID(), '${PROCESS_ID}'), 'o', 'imediata', 30, '[]', NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO origin_token (token_hash, origin_id, kind, sealed, created_at, revoked_at)
     SELECT UNHEX(SHA2(origin_id, 256)), origin_id, 'dev', NULL, NOW(3), NULL FROM origin`,
  `INSERT INTO capture (capture_id, origin_id, captured_at, bytes, truncated, body, query, headers)
     SELECT UUID(), origin_id, NOW(3), 1, 0, '', '', '' FROM origin`,
  `INSERT INTO waiting_call (process_id, holder, places, turn, lease_until)
     SELECT UUID(), UUID(), 1, 1, ${TIME_OF_ROW_SQL} + INTERVAL 1 HOUR FROM ${ROW_SEQUENCE}`,
  `INSERT INTO event_subscription (subscription_id, company_id, process_id, url, events, sealed_secret, enabled, created_at)
     SELECT IF(seq = 1, '${SUBSCRIPTION}', UUID()), IF(seq <= 20, '${COMPANY}', UUID()), IF(seq <= 3, UUID(), '${PROCESS_ID}'), 'https://r.example/', 'error',
     'x', 1, NOW(3) FROM ${ROW_SEQUENCE}`,
  `INSERT INTO event_delivery (subscription_id, instance_id, company_id, process_id, event, payload, status, next_attempt_at, created_at)
     SELECT '${SUBSCRIPTION}', UUID(), '${COMPANY}', IF(seq <= 3, UUID(), '${PROCESS_ID}'), 'instance.error', '{}',
            ELT(1 + seq % 3, 'waiting', 'delivered', 'dead'), IF(seq % 3 = 0, ${TIME_OF_ROW_SQL}, NULL), ${TIME_OF_ROW_SQL}
       FROM seq_1_to_${3 * ROW_COUNT}`,
  `INSERT INTO event_delivery (subscription_id, instance_id, company_id, process_id, event, payload, status, next_attempt_at, created_at)
     SELECT IF(seq <= ${OLD_ROW_COUNT}, '${REMOVED_SUBSCRIPTION}', UUID()), UUID(), '${COMPANY}', '${PROCESS_ID}', 'instance.error', '{}', 'waiting',
            NOW(3) + INTERVAL 1 DAY, NOW(3)
       FROM ${ROW_SEQUENCE}`,
];
const TABLES = [...new Set(FILL_STATEMENTS.map((statement) => statement.split(/\s+/)[2] ?? ''))];

/** Writes the rows, and lets the database count them, so that the optimizer knows how many rows each table has. */
export async function fillTables(store: Store): Promise<void> {
  for (const statement of FILL_STATEMENTS) await store.write(statement);
  await store.rows(`ANALYZE TABLE ${TABLES.join(', ')}`);
}
