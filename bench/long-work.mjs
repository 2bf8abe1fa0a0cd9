import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fillEnded, fillIdempotencyKeys, fillQueue, placeOf } from './fill.mjs';
import { createLoginSession } from './logins.mjs';
import { Probes } from './probes.mjs';
import { withRunningPrograms } from './running-programs.mjs';
import { startService, startServices } from './programs.mjs';
import { startOf } from './requests.mjs';
import { startServers } from './servers.mjs';
import { busyShare } from './usage.mjs';
import { makeCompany } from './world.mjs';

/** The bar of docs/bench.md: the longest time that any transaction may wait for the locks of long work. */
const MAX_LOCK_WAIT_MS = 100;
/** Length of the measurement without long work, to compare the others with. */
const QUIET_MS = 10_000;
const POLL_INTERVAL_MS = 100;
const DISABLED_SWEEP_INTERVAL_MS = '86400000';
const RETENTION_SWEEP_INTERVAL_MS = '1000';

const LOCK_CREDITS_SQL = 'SELECT balance FROM credit_account WHERE company_id = ? FOR UPDATE';
const LOCK_INSTANCE_SQL = 'SELECT status FROM instance WHERE instance_id = ? FOR UPDATE';
const NEXT_QUEUED_SQL = `SELECT instance_id FROM instance FORCE INDEX (instance_queue)
  WHERE environment_id = ? AND status = 'queued' ORDER BY accepted_at, instance_id LIMIT 1`;
const NEXT_OLD_INSTANCE_SQL = `SELECT instance_id FROM instance FORCE INDEX (instance_log_kept)
  WHERE company_id = ? AND has_log = 0 AND finished_at < UTC_TIMESTAMP(3) - INTERVAL 400 DAY ORDER BY finished_at LIMIT 1`;
const HAS_OLD_ROWS_SQL = `SELECT EXISTS (SELECT 1 FROM instance WHERE finished_at < UTC_TIMESTAMP(3) - INTERVAL 400 DAY)
  OR EXISTS (SELECT 1 FROM idempotency_key WHERE created_at < UTC_TIMESTAMP(3) - INTERVAL 1 DAY) AS left_over`;

/**
 * Measures how long other transactions wait for the locks of long work: the cancellation of a long queue, the deletion of a process with many
 * instances, and retention. Returns the report as text.
 */
export async function runLongWork({ options, say, signal }) {
  const busy = await busyShare();
  return withRunningPrograms(signal, async (running) => {
    say('Starting MariaDB, NATS and the services …');
    const servers = await startServers();
    running.push(servers);
    // No retention while the tables are filled, because it would wait for the locks of the new rows.
    Object.assign(servers.settings, { RETENTION_SWEEP_MS: DISABLED_SWEEP_INTERVAL_MS });
    const services = await startServices(servers, {});
    running.push(...Object.values(services));
    const company = await makeCompany(servers.database);
    return toText(await measure({ servers, services, company, options, say, running }), busy);
  });
}

async function measure({ servers, services, company, options: { instances, queued: many }, say, running }) {
  const { database } = servers;
  const { companyID, owner, queued, online } = company;
  const place = await placeOf(database, company, queued.processID);
  /** Measures the waits during `work`, by starts of the same company in another environment and by probes that need the same locks. */
  const measureDuring = async (what, work, locks = {}) => {
    say(`Measuring: ${what} …`);
    const probes = new Probes(servers.settings.DATABASE_URL);
    probes.repeatStarts('start', services.gateway.url, startOf(company, online));
    await probes.repeatLock('credits of the company', { sql: LOCK_CREDITS_SQL, parameters: [companyID] });
    for (const [name, lock] of Object.entries(locks)) await probes.repeatLock(name, lock);
    const began = performance.now();
    await work();
    const seconds = (performance.now() - began) / 1_000;
    const times = await probes.stop();
    return { what, seconds, times, refused: probes.refused, longestWait: await longestWait(database) };
  };
  const until = async (sql, parameters) => {
    for (;;) {
      const [rows] = await database.query(sql, parameters);
      if (rows.length === 0) return;
      await sleep(POLL_INTERVAL_MS);
    }
  };

  const results = [await measureDuring('nothing', () => sleep(QUIET_MS))];

  say(`Filling a queue with ${text(many)} instances …`);
  await fillQueue(database, place, many);
  const cancelQueue = async () => {
    await database.query('INSERT INTO queue_cancellation VALUES (?, UTC_TIMESTAMP(3))', [place.environment_id]);
    await until('SELECT 1 FROM queue_cancellation WHERE environment_id = ?', [place.environment_id]);
  };
  results.push(
    await measureDuring(`cancel ${text(many)} queued instances`, cancelQueue, {
      'next instance of the queue': {
        row: NEXT_QUEUED_SQL,
        sql: LOCK_INSTANCE_SQL,
        parameters: [place.environment_id],
      },
    }),
  );
  const [[cancelled]] = await database.query(
    "SELECT COUNT(*) AS refunds FROM credit_entry WHERE company_id = ? AND kind = 'refund'",
    [companyID],
  );
  if (cancelled.refunds !== many) throw new Error(`${cancelled.refunds} of ${many} credits were returned`);

  say(`Filling a process with ${text(instances)} ended instances …`);
  await fillEnded(database, place, { kind: '0002', count: instances });
  const token = await createLoginSession(database, owner);
  const remove = () => deleteProcess(services.console.url, token, queued.processID);
  results.push(
    await measureDuring(`delete a process with ${text(instances + many)} instances`, remove, {
      'the company': { sql: 'SELECT name FROM company WHERE company_id = ? FOR UPDATE', parameters: [companyID] },
    }),
  );

  say(`Filling ${text(many)} instances, as many log lines and keys, past their retention …`);
  await fillIdempotencyKeys(database, many);
  await fillEnded(database, place, { kind: '0003', count: many, daysAgo: 500, lines: 10 });
  await services.execution.stop();
  running.push(await startService(servers, 'execution', { env: { RETENTION_SWEEP_MS: RETENTION_SWEEP_INTERVAL_MS } }));
  const retention = async () => {
    for (let left = true; left; await sleep(POLL_INTERVAL_MS)) {
      const [[{ left_over }]] = await database.query(HAS_OLD_ROWS_SQL);
      left = left_over === 1;
    }
  };
  results.push(
    await measureDuring(`retention of ${text(many)} instances, log lines and keys each`, retention, {
      'next instance to delete': { row: NEXT_OLD_INSTANCE_SQL, sql: LOCK_INSTANCE_SQL, parameters: [companyID] },
    }),
  );
  return results;
}

const text = (count) => count.toLocaleString('en');

/** The longest wait for a lock of a row since the database started, in milliseconds, as the database counts it. */
async function longestWait(database) {
  const [[{ Value }]] = await database.query("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_time_max'");
  return Number(Value);
}

async function deleteProcess(url, token, processID) {
  const response = await fetch(`${url}/manage/v1/processes/${processID}`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${token}`, 'X-Request-Id': randomUUID() },
  });
  if (!response.ok) throw new Error(`the deletion was answered ${response.status}: ${await response.text()}`);
}

function toText(results, busy) {
  const lines = [
    `Waiting beside long work, milliseconds; before the run ${Math.round(busy * 100)} % of the processors were busy.`,
    `Bar: nobody waits longer than ${MAX_LOCK_WAIT_MS} ms for a lock (the database's own longest wait since its start is in brackets).`,
  ];
  for (const { what, seconds, times, refused, longestWait: wait } of results) {
    lines.push('', `${what}: ${seconds.toFixed(1)} s (${wait} ms)`);
    for (const { name, count, p50, p99, longest } of times) {
      const [usual, late, last] = [p50, p99, longest].map((ms) => ms.toFixed(1));
      lines.push(`  ${name.padEnd(28)} p50 ${usual}   p99 ${late}   longest ${last}   (${count})`);
    }
    for (const [answer, count] of refused) lines.push(`  ${count} starts were answered ${answer}`);
  }
  const reached = results.every(({ longestWait: wait }) => wait <= MAX_LOCK_WAIT_MS);
  return [...lines, '', `Longest wait for a lock of a row: ${reached ? 'within' : 'MISSED'} the bar`].join('\n');
}
