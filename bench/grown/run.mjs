import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchAgent } from '../bench-agent.mjs';
import { createGenerator } from '../load/generators.mjs';
import { createLoginSession } from '../logins.mjs';
import { withRunningPrograms } from '../running-programs.mjs';
import { startService, startServices } from '../programs.mjs';
import { startOf } from '../requests.mjs';
import { startServers } from '../servers.mjs';
import { quantile } from '../statistics.mjs';
import { busyShare } from '../usage.mjs';
import { makeCompany } from '../world.mjs';
import { BULK_LOAD_OPTIONS, withBulkSettings } from './bulk-load.mjs';
import { countRows } from './counts.mjs';
import { measureDueSchedules } from './due-schedules.mjs';
import { fillMonths, fillOverdue, fillRecent, fillRegistry, sizesOf } from './fill.mjs';
import { createKeptConnection, OPERATIONS, operationValuesOf } from './operations.mjs';
import { StatementLog } from './slow-log.mjs';

/**
 * Interval of retention, so long that it deletes no rows while something else is measured. To measure the sweeps and retention, the bench restarts
 * the services with SWEEP_INTERVAL_MS.
 */
const DISABLED_SWEEP_INTERVAL_MS = '86400000';
const SWEEP_INTERVAL_MS = '1000';
/** Ended instances of the last hours that both databases have, so that their answers are equal. */
const RECENT_INSTANCE_COUNT = 300;
/** Ended instances whose retention is over, which both databases get before retention is measured. */
const OVERDUE_INSTANCE_COUNT = 2_000;
const QUEUED_INSTANCE_COUNT = 20;
/** Number of instances that are older than the one at which the pages of the operations named "old" begin. */
const OLD_PAGE_POSITION = 120;
/**
 * Number of calls to one installation before the turn of the other; turns are short, so that a slow second of the machine affects both.
 */
const CALLS_PER_TURN = 10;
/** Number of calls before the measurement. They load the pages of the indexes into the buffer pool, where an installation in use has them. */
const WARM_UP_CALL_COUNT = 50;
/** Number of calls of an operation whose rows are counted; the result is their mean. */
const COUNTED_CALL_COUNT = 3;
/** For how long the rows of sweeps are counted; the result is for one second. */
const SWEEPS_DURATION_SECONDS = 20;
/** Disk space per ended instance: all its rows, and its part of the files with which the indexes are sorted. */
const BYTES_PER_INSTANCE = 4_000;
const LARGEST_TABLE_COUNT = 6;

/**
 * Runs the same operations on an empty database and on one that is full of ended instances, in turns, and compares the times and the rows
 * that each statement reads. `scale` 1 = 10 million ended instances.
 */
export async function runGrown({ options, say, signal }) {
  const busy = await busyShare();
  return withRunningPrograms(signal, async (running) => {
    const sizes = sizesOf(options.scale);
    const worlds = [];
    for (const name of ['empty', 'grown']) {
      say(`Starting the services of the ${name} database …`);
      worlds.push(await createWorld({ name, sizes, running, say }));
    }
    const generator = createGenerator(options.generator, worlds[0].servers.folder);
    running.push(generator);
    const times = [
      ...(await measureSingle(worlds, options, say)),
      ...(await measureLoad(worlds, generator, options, say)),
    ];
    const rows = await measureRows(worlds, running, say);
    const due = options.due === 0 ? undefined : await measureDueSchedules(worlds[1], { generator, options, say });
    const measuredAt = new Date().toISOString();
    return { measuredAt, scale: options.scale, sizes, busy, filled: worlds[1].filled, times, rows, due };
  });
}

/** Starts one of the two installations: servers, filled rows for the grown one, services, an agent and logins. Returns the `world` of OPERATIONS. */
async function createWorld({ name, sizes, running, say }) {
  const servers = await startServers(undefined, { mariadbOptions: BULK_LOAD_OPTIONS });
  running.push(servers);
  const { database } = servers;
  const log = new StatementLog(database, servers.folder);
  await log.prepare();
  const company = await makeCompany(database);
  await database.query("UPDATE account SET role = 'administrator' WHERE account_id = ?", [company.owner.account_id]);
  // Only the rows that `fillOverdue` adds are overdue.
  await database.query('UPDATE plan SET log_retention_days = 400');
  const filled = name === 'grown' ? await fill(servers, company, sizes, say) : undefined;
  await fillRecent(database, company.queued.processID, RECENT_INSTANCE_COUNT);
  await database.query(
    'ANALYZE TABLE instance, instance_log, process, process_key, schedule, schedule_firing, audit_event, credit_entry',
  );
  Object.assign(servers.settings, { CALLS_PER_MINUTE: '1000000', RETENTION_SWEEP_MS: DISABLED_SWEEP_INTERVAL_MS });
  const services = await startServices(servers, {});
  running.push(...Object.values(services));
  const agent = await BenchAgent.connect(services.router.url, company.online.activationKey);
  running.push({ stop: () => agent.close() });
  const http = createKeptConnection();
  running.push({ stop: () => http.destroy() });
  const sessions = {
    owner: await createLoginSession(database, company.owner),
    member: await addMember(database, company),
  };
  const world = { name, servers, database, log, company, services, agent, http, sessions, filled };
  world.online = startOf(company, company.online);
  world.startOf = (place) => startOf(company, place);
  for (let started = 0; started < QUEUED_INSTANCE_COUNT; started++) await OPERATIONS['start, queued'](world);
  world.values = await chooseValues(world);
  return world;
}

/** Adds an account with a share of the measured process and with some instances that it started; returns the token of its login session. */
async function addMember(database, { owner, queued }) {
  const account_id = crypto.randomUUID();
  const created_at = new Date();
  const account = {
    account_id,
    company_id: owner.company_id,
    email: `${account_id}@bench.batuta.local`,
    name: 'Member',
  };
  await database.query('INSERT INTO account SET ?', [{ ...account, role: 'member', password_hash: '', created_at }]);
  const may = { may_execute: 1, may_edit: 1, may_api: 1, may_schedule: 1, may_delete: 1, may_share: 1 };
  await database.query('INSERT INTO process_share SET ?', [
    { process_id: queued.processID, account_id, ...may, created_at },
  ]);
  await database.query(
    'UPDATE instance SET starter_account_id = ? WHERE process_id = ? ORDER BY accepted_at DESC LIMIT 20',
    [account_id, queued.processID],
  );
  await database.query(
    `INSERT INTO share_event (process_id, account_id, event_id)
     SELECT i.process_id, i.starter_account_id, e.event_id
       FROM (SELECT * FROM audit_event ORDER BY event_id DESC LIMIT ${RECENT_INSTANCE_COUNT}) e JOIN instance i USING (instance_id)
      WHERE i.process_id = ? AND i.starter_account_id = ?`,
    [queued.processID, account_id],
  );
  // Share events are written above, so the task that writes them from audit events begins after the filled ones.
  await database.query(
    'REPLACE INTO share_event_cursor (cursor_id, event_id) SELECT 1, MAX(event_id) FROM audit_event',
  );
  return createLoginSession(database, { account_id });
}

async function chooseValues({ database, company: { queued } }) {
  const newest = `SELECT instance_id FROM instance WHERE process_id = ? AND`;
  const [[ended]] = await database.query(`${newest} has_log = 1 ORDER BY accepted_at DESC LIMIT 1`, [queued.processID]);
  const [[first]] = await database.query(`${newest} status = 'queued' ORDER BY accepted_at LIMIT 1`, [
    queued.processID,
  ]);
  // Selects one of the oldest instances, so that nearly all others are newer.
  const [[old]] = await database.query(
    `SELECT i.instance_id, i.accepted_at, e.event_id FROM instance i JOIN audit_event e USING (instance_id)
      WHERE i.process_id = ? AND i.history_at IS NOT NULL ORDER BY i.accepted_at LIMIT 1 OFFSET ${OLD_PAGE_POSITION}`,
    [queued.processID],
  );
  return operationValuesOf({ old, pid: queued.processID, iid: ended.instance_id, firstQueued: first.instance_id });
}

async function fill(servers, company, sizes, say) {
  const { database } = servers;
  await checkSpace(servers.mariadb.dir, sizes);
  say(
    `Filling ${sizes.instances.toLocaleString('en')} ended instances of ${sizes.processes.toLocaleString('en')} processes …`,
  );
  const began = performance.now();
  const rows = await withBulkSettings(database, async () => {
    await fillRegistry(database, sizes, company.queued.processID);
    return fillMonths(database, sizes);
  });
  const seconds = (performance.now() - began) / 1_000;
  say(`Filled in ${seconds.toFixed(0)} s: ${Math.round(rows / seconds).toLocaleString('en')} rows a second`);
  return { rows, seconds, bytes: await bytesOfTables(database) };
}

/** Throws if the disk lacks room for the rows and for the files with which their indexes are sorted. */
async function checkSpace(folder, { instances }) {
  const { bavail, bsize } = await statfs(folder);
  const gigabytes = (instances * BYTES_PER_INSTANCE) / 2 ** 30;
  if (bavail * bsize < instances * BYTES_PER_INSTANCE)
    throw new Error(`${folder} needs ${gigabytes.toFixed(0)} GB of free space for this --scale`);
}

/** Bytes of the files of the largest tables, by name. */
async function bytesOfTables(database) {
  const [rows] = await database.query(
    `SELECT SUBSTRING_INDEX(NAME, '/', -1) AS name, FILE_SIZE AS bytes FROM information_schema.INNODB_SYS_TABLESPACES
      WHERE NAME LIKE CONCAT(DATABASE(), '/%') ORDER BY FILE_SIZE DESC LIMIT ${LARGEST_TABLE_COUNT}`,
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

/** Measures single calls of each operation, one after the other and in turns between the installations; times in milliseconds. */
async function measureSingle(worlds, { calls }, say) {
  const results = [];
  for (const [name, work] of Object.entries(OPERATIONS)) {
    say(`Measuring: ${name} …`);
    const taken = worlds.map(() => []);
    for (const world of worlds) for (let call = 0; call < WARM_UP_CALL_COUNT; call++) await work(world);
    for (let turn = 0; turn * CALLS_PER_TURN < calls; turn++) {
      const order = turn % 2 === 0 ? [0, 1] : [1, 0];
      for (const index of order) {
        for (let call = 0; call < CALLS_PER_TURN; call++) {
          const began = performance.now();
          await work(worlds[index]);
          taken[index].push(performance.now() - began);
        }
      }
    }
    const [empty, grown] = taken.map((values) => quantile(values, 0.5));
    results.push({ name, unit: 'ms', empty, grown, ratio: grown / empty });
  }
  return results;
}

/** Measures starts per second at 50 connections. The ratio is the time of one start in the grown database to that in the empty one. */
async function measureLoad(worlds, generator, { seconds, rounds }, say) {
  say('Measuring: starts at 50 connections …');
  const taken = worlds.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, world] of worlds.entries()) {
      const order = {
        url: world.services.gateway.url,
        requests: [world.startOf(world.company.queued)],
        connections: 50,
        seconds,
      };
      const { ok, wrong, seconds: took } = await generator.measure(order);
      if (wrong > 0) throw new Error(`${wrong} starts were not answered with 2xx`);
      taken[index].push(ok / took);
    }
  }
  const [empty, grown] = taken.map((values) => quantile(values, 0.5));
  return [{ name: 'starts at 50 connections', unit: 'starts/s', empty, grown, ratio: empty / grown }];
}

/** The rows that each operation, the sweeps and retention read in each database. */
async function measureRows(worlds, running, say) {
  const results = [];
  for (const [name, work] of Object.entries(OPERATIONS)) {
    say(`Counting rows: ${name} …`);
    const once = async (world) => {
      for (let call = 0; call < COUNTED_CALL_COUNT; call++) await work(world);
    };
    results.push(await countRows(worlds, name, once, COUNTED_CALL_COUNT));
  }
  say('Counting rows: sweeps and gauges …');
  for (const world of worlds)
    await restart(world, running, { SWEEP_MS: SWEEP_INTERVAL_MS, RETENTION_SWEEP_MS: SWEEP_INTERVAL_MS });
  results.push(
    await countRows(worlds, 'sweeps and gauges', () => sleep(SWEEPS_DURATION_SECONDS * 1_000), SWEEPS_DURATION_SECONDS),
  );
  say('Counting rows: retention …');
  for (const world of worlds) await fillOverdue(world.database, world.company.queued.processID, OVERDUE_INSTANCE_COUNT);
  results.push(await countRows(worlds, `retention of ${OVERDUE_INSTANCE_COUNT} instances`, untilDeleted, 1));
  return results;
}

/** Restarts the services that have sweeps with further settings `env`, and closes the agent, whose router ends. */
async function restart(world, running, env) {
  for (const name of ['execution', 'schedule', 'webhook', 'router']) {
    if (name === 'router') world.agent.close();
    await world.services[name].stop();
    world.services[name] = await startService(world.servers, name, { env });
    running.push(world.services[name]);
  }
}

/** Waits until retention has deleted the instances of `fillOverdue`. */
async function untilDeleted({ database }) {
  for (let left = 1; left > 0; await sleep(500)) {
    [[{ left }]] = await database.query(
      'SELECT EXISTS (SELECT 1 FROM instance WHERE finished_at < UTC_TIMESTAMP(3) - INTERVAL 450 DAY) AS `left`',
    );
  }
}
