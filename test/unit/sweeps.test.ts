import { openStore, type Store } from '@batuta/database';
import { AllowanceRepository } from '@batuta/rate';
import { LoginService } from '../../apps/console/src/sessions/login.service';
import { LostInstanceService } from '../../apps/execution/src/delivery/lost-instance.service';
import { InstanceQueryService } from '../../apps/execution/src/instances/instance-query.service';
import { deleteInstances, deleteKeys, deleteLogs } from '../../apps/execution/src/retention/retention.repository';
import { SessionRepository } from '../../apps/router/src/sessions/session.repository';
import { removeOldFirings } from '../../apps/schedule/src/firing/firing.repository';
import { removeSchedule, removeSchedulesOfDeletedProcesses } from '../../apps/schedule/src/schedules/schedule-removal';
import { removeOrphanedOrigins } from '../../apps/webhook/src/origins/orphaned-origins';
import { PermitService } from '../../apps/webhook/src/permits/permit.service';
import { statementsOf, unindexedReads } from '../support/plans';
import { createMigratedDatabase } from '../support/migrated-database';
import type { TestDatabase } from '../support/servers';

// Whatever deletes or recovers rows in the background must find them by an index, and lock few at a time.

/** Enough that no optimizer prefers to read a whole table. */
const ROWS = 4_000;
const LARGEST_BATCH = 1_000;
/** Rows of each table that the sweeps delete; more than the largest batch. */
const OLD_ROWS = 1_500;
const PROCESS = '00000000-0000-7000-8000-000000000001';
const [COMPANY, PLAN, SCHEDULE] = [PROCESS, PROCESS, PROCESS];

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await createMigratedDatabase();
  // The first statements write thousands of rows.
  store = await openStore({ url: database.url, pool: 2, statementMs: 60_000 });
  for (const statement of FILL) await store.write(statement);
  await store.rows(`ANALYZE TABLE ${TABLES.join(', ')}`);
});
afterAll(async () => {
  await store?.close();
  await database?.drop();
});

/** The first OLD_ROWS of a table are older than every retention, the others are of now. */
const AT = `UTC_TIMESTAMP(3) - INTERVAL IF(seq <= ${OLD_ROWS}, 500, 0) DAY`;
const SEQ = `seq_1_to_${ROWS}`;
/** A list of a whole batch must be a small part of the table. */
const INSTANCES = `seq_1_to_${5 * ROWS}`;
const FILL = [
  `INSERT INTO plan (plan_id, name, api_access, scheduling, monthly_credits, log_retention_days, requests_per_minute, created_at)
     SELECT IF(seq = 1, '${PLAN}', UUID()), CONCAT('p', seq), 1, 1, 100, 30, 600, NOW(3) FROM ${SEQ}`,
  `INSERT INTO company (company_id, name, plan_id, suspended, created_at)
     SELECT IF(seq = 1, '${COMPANY}', UUID()), 'c', '${PLAN}', 0, NOW(3) FROM ${SEQ}`,
  `INSERT INTO process (process_id, account_id, company_id, process_name, created_at)
     SELECT IF(seq = 1, '${PROCESS}', UUID()), UUID(), '${COMPANY}', 'P', NOW(3) FROM ${SEQ}`,
  `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, environment_id, version_id,
       version, trigger_kind, user_name, executor, request_id, status, accepted_as, accepted_at, finished_at, history_at, has_log)
     SELECT UUID(), '${PROCESS}', 'P', '${COMPANY}', '${COMPANY}', '${COMPANY}', '${COMPANY}', 1, 'api', 'u', 'e', 'r',
            IF(seq % 500 = 0, 'running', 'success'), 'started', ${AT}, IF(seq % 500 = 0, NULL, ${AT}),
            IF(seq % 500 = 0, NULL, ${AT}), seq % 100 = 1 FROM ${INSTANCES}`,
  `INSERT INTO instance_log (instance_id, line, logged_at, severity, message, step, evidence)
     SELECT instance_id, seq, NOW(3), 'INFO', 'm', 's', NULL FROM instance JOIN seq_1_to_50
     WHERE has_log = 1`,
  `INSERT INTO instance_answer (instance_id, valid, code, body, recorded_at)
     SELECT instance_id, 1, 200, '{}', NOW(3) FROM instance`,
  `INSERT INTO instance_secret_answer (instance_id, masked) SELECT instance_id, '{}' FROM instance`,
  `INSERT INTO idempotency_key (key_hash, instance_id, status, body_hash, created_at)
     SELECT UNHEX(SHA2(seq, 256)), UUID(), 'started', UNHEX(SHA2(seq, 256)), ${AT} FROM ${SEQ}`,
  `INSERT INTO login_session (token_hash, account_id, created_at, expires_at)
     SELECT UNHEX(SHA2(seq, 256)), UUID(), ${AT}, ${AT} + INTERVAL 12 HOUR FROM ${SEQ}`,
  `INSERT INTO agent_session (session_id, environment_id, router_id, agent_name, runtime_version, abilities, capacity, connected_at, lease_until, closed_at)
     SELECT UUID(), '${COMPANY}', 'r', 'a', '1', '[]', 1, ${AT}, ${AT} + INTERVAL 1 MINUTE, NULL FROM ${SEQ}`,
  `INSERT INTO rate_allowance (subject, window_start, taken)
     SELECT CONCAT('s', seq), IF(seq <= ${OLD_ROWS}, 1, 1000), 1 FROM ${SEQ}`,
  `INSERT INTO schedule (schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix, environment_id, active, next_at, created_at)
     SELECT IF(seq = 1, '${SCHEDULE}', UUID()), IF(seq <= 3, UUID(), '${PROCESS}'), UUID(), 'u', 'e', 'n',
     '* * * * *', '{}', NULL, 1, NOW(3), NOW(3) FROM ${SEQ}`,
  `INSERT INTO schedule_firing (schedule_id, nominal_at, instance_id, result, reason_code, reason_message, attempts, next_attempt_at, expires_at, settled_at)
     SELECT '${SCHEDULE}', NOW(3) - INTERVAL IF(seq <= ${OLD_ROWS}, 500, 0) DAY - INTERVAL seq MINUTE,
     UUID(), IF(seq % 1000 = 0, 'pending', 'fired'), NULL, NULL, 1, IF(seq % 1000 = 0, NOW(3), NULL), NULL, NOW(3) FROM ${SEQ}`,
  `INSERT INTO schedule_backlog (schedule_id, from_at, until_at) SELECT UUID(), NOW(3), NOW(3) FROM ${SEQ}`,
  `INSERT INTO origin (origin_id, process_id, name, response_mode, wait_seconds, mapping_saved, created_at)
     SELECT UUID(), IF(seq <= 3, UUID(), '${PROCESS}'), 'o', 'imediata', 30, '[]', NOW(3) FROM ${SEQ}`,
  `INSERT INTO origin_token (token_hash, origin_id, kind, sealed, created_at, revoked_at)
     SELECT UNHEX(SHA2(origin_id, 256)), origin_id, 'dev', NULL, NOW(3), NULL FROM origin`,
  `INSERT INTO capture (capture_id, origin_id, captured_at, bytes, truncated, body, query, headers)
     SELECT UUID(), origin_id, NOW(3), 1, 0, '', '', '' FROM origin`,
  `INSERT INTO waiting_call (process_id, holder, places, turn, lease_until)
     SELECT UUID(), UUID(), 1, 1, ${AT} + INTERVAL 1 HOUR FROM ${SEQ}`,
];
const TABLES = [...new Set(FILL.map((statement) => statement.split(/\s+/)[2] ?? ''))];

/** A service with nothing but the parts that sweeps use. */
const withStore = <Service extends object>(prototype: Service): Service =>
  Object.assign(Object.create(prototype), {
    store,
    rpc: { notify: () => {} },
    changes: { changed: () => {} },
    metrics: { lost: { inc: () => {} } },
  });

const SWEEPS: [string, () => Promise<unknown>][] = [
  ['idempotency keys', () => deleteKeys(store)],
  ['log lines', () => deleteLogs(store, 400)],
  ['ended instances', () => deleteInstances(store, 400)],
  ['expired logins', () => withStore(LoginService.prototype).removeExpired()],
  ['old agent sessions', () => new SessionRepository(store, { LEASE_SECONDS: 15 }).deleteOld()],
  ['rate allowances', () => new AllowanceRepository(store, 60_000).deleteBefore(1_000)],
  ['old firings', () => removeOldFirings(store, 30)],
  ['a schedule with its firings', () => removeSchedule(store, SCHEDULE)],
  ['schedules of deleted processes', () => removeSchedulesOfDeletedProcesses(store)],
  ['origins of deleted processes', () => removeOrphanedOrigins(store)],
  ['expired permit leases', () => withStore(PermitService.prototype).removeExpired()],
  ['lost instances', () => withStore(LostInstanceService.prototype).sweep(15)],
  ['the instances of a process in use', () => withStore(InstanceQueryService.prototype).inUse({ processID: PROCESS })],
];
test.each(SWEEPS)('%s are found by an index and changed in batches', async (_, sweep) => {
  const statements = await statementsOf(sweep);
  expect(statements).not.toEqual([]);
  expect(await unindexedReads(store, statements)).toEqual([]);
  expect(statements.filter(({ affectedRows }) => affectedRows > LARGEST_BATCH)).toEqual([]);
});
