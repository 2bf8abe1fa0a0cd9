import { loadTables } from './bulk-load.mjs';

const FILLED_DAYS = 200;
const PROCESSES_PER_COMPANY = 100;
const PROCESSES_PER_ENVIRONMENT = 10;
const KEYS_PER_PROCESS = 10;
const FIRINGS_PER_SCHEDULE = 30;
const SESSIONS_PER_ENVIRONMENT = 10;

/** The numbers of rows in a database of scale 1. */
const ROWS_AT_SCALE_1 = { instances: 10_000_000, processes: 10_000, idempotencyKeys: 100_000 };

/** The numbers of rows at a scale, at least a few of each. One of ten instances has log lines, twenty each. */
export function sizesOf(scale) {
  const part = (number, least) => Math.max(least, Math.round(number * scale));
  const processes = part(ROWS_AT_SCALE_1.processes, 2 * PROCESSES_PER_COMPANY);
  return {
    processes,
    keys: processes * KEYS_PER_PROCESS,
    schedules: processes,
    idempotencyKeys: part(ROWS_AT_SCALE_1.idempotencyKeys, 1_000),
    instances: part(ROWS_AT_SCALE_1.instances, 10_000),
    lines: part(ROWS_AT_SCALE_1.instances, 10_000) * 2,
  };
}

/** SQL of an id of the registry; `kind`, four digits, differs for each table, so that no ids collide. */
const registryID = (kind, number) => `CONCAT('01880000-${kind}-7000-8000-', LPAD(HEX(${number}), 12, '0'))`;
/** SQL of an id like a UUID of version 7: its first 48 bits are the milliseconds of `at`. */
const timedID = (kind, at) => `CONCAT(
  INSERT(LPAD(LOWER(HEX(FLOOR(UNIX_TIMESTAMP(${at}) * 1000))), 12, '0'), 9, 0, '-'), '-7${kind}-8000-', LPAD(LOWER(HEX(seq)), 12, '0'))`;

/**
 * Fills in other companies, which have `processes` processes together, with accounts, environments, versions, variables, keys, schedules with
 * firings, and closed sessions of agents. The table `numbered_process` maps a number to a process; number 0 is the measured process.
 */
export async function fillRegistry(database, { processes }, measured) {
  const run = (sql, parameters) => database.query(sql, parameters);
  const companies = Math.ceil(processes / PROCESSES_PER_COMPANY);
  const environments = Math.ceil(processes / PROCESSES_PER_ENVIRONMENT);
  const companyOf = (number) => `(${number} - 1) DIV ${PROCESSES_PER_COMPANY} + 1`;
  const environmentOf = (number) => `(${number} - 1) DIV ${PROCESSES_PER_ENVIRONMENT} + 1`;
  const companyOfEnvironment = `(seq - 1) DIV ${PROCESSES_PER_COMPANY / PROCESSES_PER_ENVIRONMENT} + 1`;
  const [plan, company, account, environment] = ['1000', '1001', '1002', '1003'].map(
    (kind) => (number) => registryID(kind, number),
  );
  const [process, version] = ['1004', '1005'].map((kind) => (number) => registryID(kind, number));
  const now = 'UTC_TIMESTAMP(3)';
  const old = `${now} - INTERVAL ${FILLED_DAYS} DAY`;
  await run(
    `INSERT INTO plan (plan_id, name, api_access, scheduling, monthly_credits, log_retention_days, requests_per_minute, created_at)
     VALUES (${plan(1)}, 'Grown', 1, 1, 1000000, 400, 1000, ${old})`,
  );
  await run(
    `INSERT INTO company (company_id, name, plan_id, created_at)
     SELECT ${company('seq')}, CONCAT('Grown ', seq), ${plan(1)}, ${old} FROM seq_1_to_${companies}`,
  );
  await run(
    `INSERT INTO credit_account (company_id, balance, period, monthly)
     SELECT ${company('seq')}, 1000, DATE_FORMAT(${now}, '%Y-%m'), 1000000 FROM seq_1_to_${companies}`,
  );
  await run(
    `INSERT INTO account (account_id, company_id, email, name, role, password_hash, created_at)
     SELECT ${account('seq')}, ${company('seq')}, CONCAT('grown', seq, '@bench.batuta.local'), 'Owner', 'member', '', ${old}
       FROM seq_1_to_${companies}`,
  );
  await run(
    `INSERT INTO login_session (token_hash, account_id, created_at, expires_at)
     SELECT UNHEX(SHA2(CONCAT('login', seq), 256)), ${account('seq')}, ${now}, ${now} + INTERVAL 1 DAY FROM seq_1_to_${companies}`,
  );
  await run(
    `INSERT INTO environment (environment_id, account_id, company_id, name, os, env_type, offline_flow, cancel_queue_on_exception,
       capacity, activation_key_hash, created_at)
     SELECT ${environment('seq')}, ${account(companyOfEnvironment)}, ${company(companyOfEnvironment)}, CONCAT('Plant ', seq), 'linux', 'prod',
            1, 0, 10, UNHEX(SHA2(CONCAT('environment', seq), 256)), ${old} FROM seq_1_to_${environments}`,
  );
  await run(
    `INSERT INTO agent_session (session_id, environment_id, router_id, agent_name, runtime_version, abilities, capacity, connected_at,
       lease_until, closed_at)
     SELECT ${registryID('1006', 'e.seq * 100 + s.seq')}, ${environment('e.seq')}, 'r', 'agent', '1.0.0', '[]', 10, ${now} - INTERVAL 2 HOUR,
            ${now} - INTERVAL 1 HOUR, ${now} - INTERVAL 1 HOUR FROM seq_1_to_${environments} e JOIN seq_1_to_${SESSIONS_PER_ENVIRONMENT} s`,
  );
  await run(
    `INSERT INTO process (process_id, account_id, company_id, environment_id, process_name, active, api_enabled, current_version,
       published_version_id, created_at)
     SELECT ${process('seq')}, ${account(companyOf('seq'))}, ${company(companyOf('seq'))}, ${environment(environmentOf('seq'))},
            CONCAT('Orders ', seq), 1, 1, 1, ${version('seq')}, ${old} FROM seq_1_to_${processes}`,
  );
  await run(
    `INSERT INTO process_version (version_id, process_id, version, flow, mappings, published_by, published_at)
     SELECT ${version('seq')}, ${process('seq')}, 1, '{"start":"Only step","steps":[{"name":"Only step","type":"variables"}]}', '[]',
            ${account(companyOf('seq'))}, ${old} FROM seq_1_to_${processes}`,
  );
  await run(
    `INSERT INTO matrix_variable (variable_id, process_id, position, name, type, default_value)
     SELECT ${registryID('1007', 'p.seq * 16 + v.seq')}, ${process('p.seq')}, v.seq, CONCAT('value', v.seq), 'Texto', '""'
       FROM seq_1_to_${processes} p JOIN seq_1_to_5 v`,
  );
  await run(
    `INSERT INTO process_key (key_id, process_id, identifier, secret_hash, created_at)
     SELECT ${registryID('1008', 'p.seq * 16 + k.seq')}, ${process('p.seq')}, CONCAT('Key ', k.seq),
            UNHEX(SHA2(CONCAT('key', p.seq, '-', k.seq), 256)), ${old} FROM seq_1_to_${processes} p JOIN seq_1_to_${KEYS_PER_PROCESS} k`,
  );
  await run(
    `INSERT INTO schedule (schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix, active,
       next_at, created_at)
     SELECT ${registryID('1009', 'seq')}, ${process('seq')}, ${account(companyOf('seq'))}, 'Owner', 'Owner', 'Nightly',
            DATE_FORMAT(${now} + INTERVAL 17 HOUR, '%i %H * * *'), '{}', 1, DATE_FORMAT(${now} + INTERVAL 20 HOUR, '%Y-%m-%d %H:%i:00'), ${old}
       FROM seq_1_to_${processes}`,
  );
  await run(
    `INSERT INTO schedule_firing (schedule_id, nominal_at, instance_id, result, attempts, settled_at)
     SELECT ${registryID('1009', 's.seq')}, DATE(${now}) - INTERVAL f.seq DAY, ${registryID('100a', 's.seq * 100 + f.seq')}, 'fired', 1,
            ${now} - INTERVAL f.seq DAY FROM seq_1_to_${processes} s JOIN seq_1_to_${FIRINGS_PER_SCHEDULE} f`,
  );
  await createNumberedProcesses(database, measured);
  await run(
    `INSERT INTO numbered_process SELECT seq, ${process('seq')}, ${account(companyOf('seq'))}, ${company(companyOf('seq'))},
            ${environment(environmentOf('seq'))}, ${version('seq')} FROM seq_1_to_${processes}`,
  );
}

/**
 * Fills in ended instances over the months before the last three days, with their log lines, inputs, credits and audit events, and returns the
 * number of these rows. Of each hundred instances, ten in a row belong to the measured process, the others to all processes in turn. Fills in
 * idempotency keys of the last day, too, and removes the table `numbered_process`.
 */
export async function fillMonths(database, { instances, processes, idempotencyKeys }) {
  const seconds = (FILLED_DAYS * 86_400) / instances;
  const start = `UTC_TIMESTAMP(3) - INTERVAL ${FILLED_DAYS + 3} DAY + INTERVAL FLOOR(seq * ${seconds} * 1000000) MICROSECOND`;
  const time = `(${await withFixedNow(database, start)})`;
  const of = { time, processNumber: `IF((seq DIV 10) % 10 = 0, 0, 1 + (seq * 7919) % ${processes})` };
  const loaded = await loadTables(database, insertsOf(`seq_1_to_${instances}`, of));
  await database.query(
    `INSERT INTO idempotency_key (key_hash, instance_id, status, body_hash, created_at)
     SELECT UNHEX(SHA2(seq, 256)), ${timedID('009', 'UTC_TIMESTAMP(3)')}, 'queued', UNHEX(SHA2(seq, 256)),
            UTC_TIMESTAMP(3) - INTERVAL seq % 80000 SECOND FROM seq_1_to_${idempotencyKeys}`,
  );
  await database.query('DROP TABLE numbered_process');
  return loaded;
}

/** Fills in `recent` instances of the measured process in the last hours; both databases get them, so that their answers are equal. */
export async function fillRecent(database, processID, recent) {
  await fillOne(database, processID, recent, { time: 'UTC_TIMESTAMP(3) - INTERVAL seq * 20 SECOND', kind: '111' });
}

/** Fills in `count` instances whose retention is over. */
export async function fillOverdue(database, processID, count) {
  const time = 'UTC_TIMESTAMP(3) - INTERVAL 500 DAY + INTERVAL seq SECOND';
  await fillOne(database, processID, count, { time, kind: '222' });
}

/** Fills in ended instances of one process. */
async function fillOne(database, processID, count, { time, kind }) {
  await createNumberedProcesses(database, processID);
  const of = { time: `(${await withFixedNow(database, time)})`, processNumber: '0', kind };
  for (const insert of Object.values(insertsOf(`seq_1_to_${count}`, of))) await database.query(insert);
  await database.query('DROP TABLE numbered_process');
}

/** The SQL expression `time` with the current time as a constant, because several statements compute the ids of the same rows from it. */
async function withFixedNow(database, time) {
  const [[{ now }]] = await database.query("SELECT DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%d %H:%i:%s') AS now");
  return time.replace('UTC_TIMESTAMP(3)', `TIMESTAMP '${now}'`);
}

/** Creates the table `numbered_process` with this process as number 0, for `insertsOf`. */
async function createNumberedProcesses(database, processID) {
  const columns = ['process_id', 'account_id', 'company_id', 'environment_id', 'version_id'];
  const definitions = columns.map((name) => `${name} char(36) CHARACTER SET ascii NOT NULL`);
  await database.query(`CREATE TABLE numbered_process (number int NOT NULL PRIMARY KEY, ${definitions.join(', ')})`);
  await database.query(
    `INSERT INTO numbered_process SELECT 0, process_id, account_id, company_id, environment_id, published_version_id FROM process
      WHERE process_id = ?`,
    [processID],
  );
}

/**
 * By table, the slowest first: the statement that inserts the rows of the ended instances with the numbers in `rows`. Each statement reads
 * these numbers in ascending order, which is also the order of the primary keys.
 */
function insertsOf(rows, { time, processNumber, kind = '000' }) {
  const id = timedID(kind, time);
  const failed = 'seq % 50 = 7';
  const from = `${rows} STRAIGHT_JOIN numbered_process g ON g.number = ${processNumber}`;
  return {
    instance: `INSERT INTO instance (instance_id, process_id, process_name, owner_account_id, company_id, starter_account_id, environment_id,
       version_id, version, trigger_kind, user_name, executor, request_id, status, accepted_as, outcome, fence, last_report, last_line,
       has_log, accepted_at, claimed_at, started_at, finished_at, history_at, needs)
     SELECT ${id}, g.process_id, 'Orders', g.account_id, g.company_id, g.account_id, g.environment_id, g.version_id, 1,
            ELT(1 + seq % 3, 'api', 'webhook', 'schedule'), 'Bench', 'ERP key', CONCAT('request-', seq), IF(${failed}, 'error', 'success'),
            'queued', IF(${failed}, 'ERROR', 'FINALIZED'), 1, 1, IF(seq % 10 = 0, 20, 0), seq % 10 = 0, ${time}, ${time}, ${time},
            ${time} + INTERVAL 1 + seq % 30 SECOND, ${time} + INTERVAL 1 + seq % 30 SECOND, '' FROM ${from}`,
    audit_event: `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
     SELECT g.process_id, ${id}, g.account_id, 'start', 'ERP key', '{"trigger":"api","version":1}', ${time} FROM ${from}`,
    credit_entry: `INSERT INTO credit_entry (company_id, kind, amount, instance_id, created_at)
     SELECT g.company_id, 'start', -1, ${id}, ${time} FROM ${from}`,
    // The LIMIT keeps the server from merging the inner SELECT, whose id would be computed again for each line.
    instance_log: `INSERT INTO instance_log (instance_id, line, logged_at, severity, message, step, evidence)
     SELECT i.id, l.seq, i.at, 'INFO', REPEAT('m', 80), 'Only step', NULL
       FROM (SELECT ${id} AS id, ${time} AS at FROM ${rows} WHERE seq % 10 = 0 LIMIT 1000000000) i STRAIGHT_JOIN seq_1_to_20 l`,
    instance_input: `INSERT INTO instance_input (instance_id, sealed, kept)
     SELECT ${id}, REPEAT('x', 300), 0 FROM ${rows} WHERE seq % 10 = 0`,
  };
}
