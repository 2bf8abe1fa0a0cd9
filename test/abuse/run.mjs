import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAgent } from '../../bench/programs.mjs';
import { startServers } from '../../bench/servers.mjs';
import { HttpClient } from './http-client.mjs';
import { Neighbour } from './neighbour.mjs';
import { startLimitedServices } from './services.mjs';
import { withProcessorUse } from './processors.mjs';
import { findFaults, untilAllEnded } from './verdict.mjs';
import { logInOperator, makeTarget, makeTenant } from './world.mjs';

const WARM_UP_MS = 5_000;
const QUIET_MEASUREMENT_MS = 20_000;
const SHORT_QUIET_MEASUREMENT_MS = 1_000;
const PAUSE_BETWEEN_TRICKS_MS = 3_000;
const QUEUED_INSTANCE_COUNT = 100_000;
const SHORT_QUEUED_INSTANCE_COUNT = 2_000;
const FIRING_SCHEDULE_COUNT = 150;
const LISTED_SCHEDULE_COUNT = 500;
/** Number of accounts of the hostile tenant, so that the limits of one account do not hold up every trick. */
const HOSTILE_ACCOUNT_COUNT = 4;
const TARGET_NAMES = ['logs', 'claims', 'starts', 'frames', 'firing', 'pictures'];

/**
 * Starts the servers and services, measures the neighbour without and with the hostile tenant, and stops everything.
 * Returns the measured values.
 */
export async function runAbuse({ options, say, signal }) {
  const running = [];
  const stopAll = async () => {
    for (const part of running.splice(0).toReversed()) await part.stop();
  };
  signal.addEventListener('abort', () => void stopAll());
  try {
    say('Starting MariaDB, NATS and the services …');
    const servers = await startServers();
    running.push(servers);
    const services = await startLimitedServices(servers, options);
    running.push(...Object.values(services));
    const world = await makeWorld(servers, services, options);
    running.push(await startAgent(servers, { url: services.router.url, key: world.neighbour.process.activationKey }));
    return await measure({ servers, services, world, options, say, running });
  } finally {
    const [servers] = running;
    if (options.logs && servers) await cp(servers.folder, options.logs, { recursive: true });
    await stopAll();
  }
}

async function measure({ servers, services, world, options, say, running }) {
  const starts = new Neighbour({ gateway: services.gateway.url, ...world.neighbour }, options.rate);
  /** The measured values of the neighbour company while the work lasts, and the processor time that each program took. */
  const during = (work) =>
    withProcessorUse({ ...services, mariadb: servers.mariadb, nats: servers.nats }, () => starts.during(work));
  const hostile = await Hostile.fork();
  running.push(hostile);
  if (options.only?.includes('queues') ?? true) await copyQueued(servers.database, world.hostile);
  say('Measuring the neighbour alone …');
  if (!options.short) await during(sleep(WARM_UP_MS));
  const quiet = await during(sleep(options.short ? SHORT_QUIET_MEASUREMENT_MS : QUIET_MEASUREMENT_MS));
  say('The hostile tenant stores what its tricks need …');
  const order = { world: world.hostile, seed: options.seed, only: options.only, isShort: options.short };
  const prepared = hostile.prepare(order);
  const preparing = await during(prepared);
  const { names } = await prepared;
  if (!options.short) {
    await copySchedules(servers.database, world.hostile);
    await copyEvidence(servers.database, world.hostile);
  }
  const alone = options.each ? await measureEach({ during, hostile, names, services, options, say }) : undefined;
  say('The hostile tenant attacks …');
  const began = performance.now();
  const attack = hostile.attack({ names, isShort: options.short, seconds: options.seconds });
  const attacked = await during(attack);
  const seconds = (performance.now() - began) / 1_000;
  starts.close();
  const unfinished = await untilAllEnded(servers.database, world.neighbour.process);
  const { tricks } = await attack;
  const memory = Object.values(services).map(({ name, quiet: before, peak, limit, enforced, ends, lastEnd }) => ({
    name,
    before,
    peak,
    limit,
    enforced,
    ends,
    lastEnd,
  }));
  const figures = { options, seconds, quiet, preparing, alone, attacked, unfinished, tricks, memory };
  return { ...figures, ratio: attacked.p99 / quiet.p99, faults: findFaults(figures) };
}

/** Measures the neighbour beside each trick alone, which shows the trick that the neighbour notices most. */
async function measureEach({ during, hostile, names, services, options, say }) {
  const alone = {};
  for (const name of names) {
    say(`The hostile tenant does ${name} alone …`);
    const endsOf = () => Object.values(services).reduce((sum, { ends }) => sum + ends, 0);
    const before = endsOf();
    const figures = await during(hostile.attack({ names: [name], seconds: options.each }));
    alone[name] = { ...figures, ends: endsOf() - before };
    await sleep(PAUSE_BETWEEN_TRICKS_MS);
  }
  return alone;
}

/** The neighbour and the hostile tenant, with what both would have anyway: environments, processes and credentials. */
async function makeWorld({ settings, database }, services, { short }) {
  const http = new HttpClient({ from: '127.0.0.1' });
  const console = services.console.url;
  const operator = { email: settings.OPERATOR_EMAIL, password: settings.OPERATOR_PASSWORD };
  const asOperator = await logInOperator({ http, console, operator });
  const good = await makeTenant({ http, console, asOperator, name: 'Neighbour' });
  const bad = await makeTenant({ http, console, asOperator, name: 'Hostile', accounts: HOSTILE_ACCOUNT_COUNT });
  const process = await makeTarget(good);
  const targets = {};
  for (const name of TARGET_NAMES) targets[name] = await makeTarget(bad);
  targets.queues = await makeTarget(bad, { cancelQueueOnException: true, capacity: 1 });
  const url = `${services.gateway.url}/v1/processes/${targets.queues.processID}/start`;
  const headers = { 'X-Process-Key': targets.queues.processKey };
  await http.expect('POST', url, { bearer: bad.credential, headers, body: {} });
  http.close();
  const addresses = { gateway: services.gateway.url, console, router: services.router.url };
  const { manage: _, ...tenant } = bad;
  return {
    neighbour: { credential: good.credential, process },
    hostile: { ...addresses, tenant, targets, queued: short ? SHORT_QUEUED_INSTANCE_COUNT : QUEUED_INSTANCE_COUNT },
    database,
  };
}

/** Copies the queued instance of `queues`: as many starts would take the whole attack. */
async function copyQueued(database, { targets: { queues }, queued }) {
  const fresh = { instance_id: 'UUID()', accepted_at: 'accepted_at + INTERVAL (1 + seq % 100) * 1000 MICROSECOND' };
  await copyRows(database, { table: 'instance', of: queues, count: queued, fresh });
}

/** Copies the schedules of `firing` and `lists`: their bytes a second are limited, and a hostile tenant has time. */
async function copySchedules(database, { targets: { firing, starts } }) {
  for (const [of, count] of [
    [firing, FIRING_SCHEDULE_COUNT],
    [starts, LISTED_SCHEDULE_COUNT],
  ]) {
    await copyRows(database, { table: 'schedule', of, count: count - 1, fresh: { schedule_id: 'UUID()' } });
  }
}

/** Copies the seven log lines with evidence that the agent has written until there are 210. */
async function copyEvidence(database, { targets: { logs } }) {
  await database.query(
    `INSERT INTO instance_log (instance_id, line, logged_at, severity, message, step, evidence)
       SELECT l.instance_id, l.line + 7 * seq, l.logged_at, l.severity, l.message, l.step, l.evidence
         FROM seq_1_to_29, instance_log l JOIN instance USING (instance_id)
        WHERE process_id = ? AND l.evidence IS NOT NULL`,
    [logs.processID],
  );
}

/** Inserts `count` copies of the only row that a process has in the table; `fresh` has the expressions of the columns that differ. */
async function copyRows(database, { table, of, count, fresh }) {
  const [columns] = await database.query(
    `SELECT column_name AS name FROM information_schema.columns
      WHERE table_schema = DATABASE() AND table_name = ? AND COALESCE(generation_expression, '') = ''`,
    [table],
  );
  const names = columns.map(({ name }) => name);
  const values = names.map((name) => fresh[name] ?? name);
  await database.query(
    `INSERT INTO ${table} (${names}) SELECT ${values} FROM ${table}, seq_1_to_${count} WHERE process_id = ?`,
    [of.processID],
  );
}

/** The hostile tenant's process. */
class Hostile {
  #child;

  static async fork() {
    const hostile = new Hostile();
    hostile.#child = fork(new URL('hostile.mjs', import.meta.url), { detached: true });
    hostile.#child.setMaxListeners(0);
    await hostile.#told('here');
    return hostile;
  }

  async prepare(order) {
    this.#child.send({ command: 'prepare', ...order });
    return this.#told('prepared');
  }

  /** Resolves to what each trick did, and how it was answered. */
  async attack({ names, isShort = false, seconds }) {
    const done = this.#told('done');
    this.#child.send({ command: 'attack', names, isShort });
    if (!isShort) {
      await Promise.race([sleep(seconds * 1_000), done]);
      if (this.#child.connected) this.#child.send({ command: 'stop' });
    }
    return done;
  }

  stop() {
    this.#child.kill('SIGKILL');
  }

  async #told(event) {
    for (;;) {
      const [message] = await Promise.race([
        once(this.#child, 'message'),
        once(this.#child, 'exit').then(([code, signal]) => [{ event: 'exit', code, signal }]),
      ]);
      if (message.event === event) return message;
      if (message.event === 'exit') throw new Error(`the hostile client ended: ${message.signal ?? message.code}`);
    }
  }
}
