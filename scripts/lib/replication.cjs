'use strict';
const { randomBytes } = require('node:crypto');
const { cp, mkdir, mkdtemp, readFile, rm } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { startChild } = require('./child.cjs');
const { ROOT, runSettings } = require('./find-servers.cjs');
const { ensureServers } = require('./install-servers.cjs');
const { TEST_OPTIONS, accountStatements, runBootstrap } = require('./galera.cjs');
const { fillDataFolder } = require('./mariadb.cjs');
const { freePort } = require('./ports.cjs');

const HOST = '127.0.0.1';
const USER = 'batuta';
const DATABASE = 'batuta';
const SHIPPED = path.join(ROOT, 'ops', 'replication');
const START_TIME_LIMIT_MS = 60_000;
const STOP_GRACE_MS = 20_000;
const MAX_START_TRIES = 3;
const ROOT_OPTIONS = process.getuid?.() === 0 ? ['--user=root'] : [];

/**
 * Starts two throw-away servers on the loopback with the files of ops/replication, each with an empty database. Both are read-only, and neither
 * follows the other: the caller makes them primary and replica.
 */
async function startReplication() {
  const programs = await ensureServers();
  const home = await mkdtemp(path.join(tmpdir(), 'batuta-replication-'));
  const password = randomBytes(24).toString('base64url');
  const servers = [];
  const stop = async () => {
    await Promise.all(servers.map((server) => server.end()));
    await rm(home, { recursive: true, force: true });
  };
  for (const name of ['mariadb-1', 'mariadb-2']) {
    servers.push(new ReplicationServer(name, { programs, home: path.join(home, name), password }));
  }
  try {
    const [primary, replica] = servers;
    const data = path.join(home, primary.name, 'data');
    await mkdir(data, { recursive: true });
    await fillDataFolder(programs.installDb, home, data);
    await runBootstrap(programs.mariadbd, data, accountStatements({ password, database: DATABASE }));
    await cp(path.join(home, primary.name), path.join(home, replica.name), { recursive: true });
    await Promise.all([primary.start('primary'), replica.start('replica')]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { servers, user: USER, password, database: DATABASE, stop };
}

class ReplicationServer {
  #settings;
  #child;

  constructor(name, settings) {
    this.name = name;
    this.#settings = settings;
  }

  get url() {
    return `mysql://${USER}:${this.#settings.password}@${HOST}:${this.port}/${DATABASE}`;
  }

  isAlive() {
    return this.#child.isAlive();
  }

  async kill() {
    this.#child.signal('SIGKILL');
    await this.#child.stop();
  }

  async end() {
    await this.#child?.stop();
  }

  /** Starts the server, again when it ends by itself because a program has taken its port in the meantime. It keeps its port over restarts. */
  async start(role) {
    const keepsPort = this.port !== undefined;
    for (let attempt = 1; ; attempt += 1) {
      if (!keepsPort) this.port = await freePort();
      await this.#launch(role);
      if (await this.#answersBeforeItsEnd()) return;
      await this.#child.stop();
      if (attempt === MAX_START_TRIES) throw await this.#notStarted();
    }
  }

  async #launch(role) {
    const { programs, home } = this.#settings;
    const { env, mariadbArgs } = runSettings(programs.mariadbd);
    this.#child = await startChild({
      command: programs.mariadbd,
      args: [
        `--defaults-file=${path.join(SHIPPED, `${role}.cnf`)}`,
        ...ROOT_OPTIONS,
        ...mariadbArgs,
        ...TEST_OPTIONS,
        // The files give each role a number; here a server keeps its number when its role changes.
        `--server-id=${this.name.at(-1)}`,
        `--bind-address=${HOST}`,
        `--port=${this.port}`,
        `--datadir=${path.join(home, 'data')}`,
        `--tmpdir=${home}`,
        `--socket=${path.join(home, 'sock')}`,
        `--pid-file=${path.join(home, 'pid')}`,
      ],
      env: { ...env, TMPDIR: home },
      logFile: path.join(home, 'log'),
      graceMs: STOP_GRACE_MS,
      removeIfOrphaned: [home],
    });
  }

  async #answersBeforeItsEnd() {
    const deadline = Date.now() + START_TIME_LIMIT_MS;
    while (!(await this.#answers())) {
      if (!this.isAlive()) return false;
      if (Date.now() > deadline) throw await this.#notStarted();
      await new Promise((done) => setTimeout(done, 50));
    }
    return true;
  }

  async #notStarted() {
    return new Error(`${this.name} did not start:\n${await this.log()}`);
  }

  async log() {
    const text = await readFile(path.join(this.#settings.home, 'log'), 'utf8').catch(() => '');
    return text.trim().split('\n').slice(-40).join('\n');
  }

  async #answers() {
    // Required here, because this file is loaded before the packages are installed.
    const { createConnection } = require('mysql2/promise');
    try {
      const connection = await createConnection({ uri: this.url, connectTimeout: 2_000 });
      connection.destroy();
      return true;
    } catch {
      return false;
    }
  }
}

module.exports = { startReplication };
