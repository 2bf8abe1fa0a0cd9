'use strict';
const { execFile, spawn } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const { cp, mkdir, mkdtemp, readFile, rm, writeFile } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { startChild } = require('./child.cjs');
const { ROOT, libraryFolders, runSettings } = require('./find-servers.cjs');
const { UNPACKED_FOLDER, ensureGalera } = require('./galera-programs.cjs');
const { fillDataFolder } = require('./mariadb.cjs');
const { freePort } = require('./ports.cjs');

const HOST = '127.0.0.1';
const USER = 'batuta';
const DATABASE = 'batuta';
const SHIPPED = path.join(ROOT, 'ops', 'galera', 'galera.cnf');
const SETTINGS = 'galera.cnf';
const JOIN_TIME_LIMIT_MS = 120_000;
const STOP_GRACE_MS = 20_000;
const IS_ROOT = process.getuid?.() === 0;
/** The account of a node: as root, `nobody` of Linux, because rsync, which copies one node to another, gives up the rights of root. */
const ACCOUNT = IS_ROOT ? { uid: 65_534, gid: 65_534 } : {};
/** Server options for little memory and no flushes: throw-away data must survive a kill of the server, but not a crash of the machine. */
const TEST_OPTIONS = [
  '--innodb-buffer-pool-size=64M',
  '--innodb-log-file-size=16M',
  '--innodb-flush-method=nosync',
  '--loose-debug-no-sync',
  '--innodb-stats-persistent=0',
];
const ANSWER_TIME_LIMIT_MS = 2_000;
const VIEW = `SHOW STATUS WHERE Variable_name IN ('wsrep_cluster_status', 'wsrep_local_state_comment', 'wsrep_cluster_size')`;

/** Where a node runs unless the caller says otherwise. */
const LOOPBACK = { host: HOST, enter: (program) => program };

/**
 * Starts a throw-away Galera cluster, with the shipped ops/galera/galera.cnf, an empty database and the accounts of Batuta and of HAProxy. Its
 * nodes are on the loopback, or on `machines`: each machine has its address `host`, and `enter`, which turns a program into one that runs on it.
 * `client` is the address from which clients connect. With `certificate` (`{ key, cert }` as PEM) the nodes offer TLS to clients.
 * Resolves when all nodes are synchronized.
 */
async function startGalera({
  nodes: count = 3,
  certificate,
  database = DATABASE,
  machines = Array.from({ length: count }, () => LOOPBACK),
  client = HOST,
} = {}) {
  const programs = await ensureGalera();
  const home = await mkdtemp(path.join(tmpdir(), 'batuta-galera-'));
  const password = randomBytes(24).toString('base64url');
  const places = [];
  for (let number = 1; number <= count; number += 1) {
    // Ports of MariaDB, of the group of nodes, and of the incremental and the full transfer of data to a node.
    const [port, group, ist, sst] = [await freePort(), await freePort(), await freePort(), await freePort()];
    const machine = machines[number - 1];
    places.push({ name: `galera-${number}`, home: path.join(home, String(number)), machine, port, group, ist, sst });
  }
  await makeDataFolder({ programs, home, places, password, database, certificate, client });
  const address = `gcomm://${places.map(({ machine, group }) => `${machine.host}:${group}`).join(',')}`;
  const shipped = /^wsrep-provider-options = "(.*)"$/m.exec(await readFile(SHIPPED, 'utf8'))?.[1];
  const nodes = places.map((place) => new GaleraNode({ programs, place, password, address, shipped, home }));
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.end()));
    await rm(home, { recursive: true, force: true });
  };
  try {
    const [first, ...others] = nodes;
    // The first node starts, ends properly, and its data folder is copied to the others: then every node knows its position in the history of
    // the cluster, and none needs a transfer of data.
    await first.start(['--wsrep-new-cluster']);
    await first.untilSynced(1);
    await first.end();
    await copyDataFolder(places);
    await first.start(['--wsrep-new-cluster']);
    await Promise.all(others.map((node) => node.start()));
    await Promise.all(nodes.map((node) => node.untilSynced(count)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, user: USER, password, database, stop };
}

class GaleraNode {
  #settings;
  #child;

  constructor(settings) {
    this.#settings = settings;
    const { name, machine, port } = settings.place;
    Object.assign(this, { name, machine, port });
  }

  get pid() {
    return this.#child.pid;
  }

  isAlive() {
    return this.#child.isAlive();
  }

  signal(name) {
    this.#child.signal(name);
  }

  /** Kills the node (SIGKILL); its data stay. */
  async kill() {
    this.#child.signal('SIGKILL');
    await this.#child.stop();
  }

  async end() {
    await this.#child?.stop();
  }

  /** Deletes the data of a node that is stopped, so that its next start copies another node. */
  async loseDisk() {
    const { home } = this.#settings.place;
    const data = path.join(home, 'data');
    await rm(data, { recursive: true });
    await mkdir(data);
    await giveToAccount(data);
  }

  /** Starts the node, which joins the cluster, or creates the cluster with the option `--wsrep-new-cluster`. */
  async start(options = []) {
    const { programs, place, address, shipped, home } = this.#settings;
    const { name, machine, port, group, ist, sst } = place;
    const { host } = machine;
    const data = path.join(place.home, 'data');
    const program = machine.enter({
      command: programs.mariadbd,
      args: [
        `--defaults-file=${path.join(home, SETTINGS)}`,
        ...runSettings(programs.mariadbd).mariadbArgs,
        ...TEST_OPTIONS,
        `--bind-address=${host}`,
        `--port=${port}`,
        `--datadir=${data}`,
        `--tmpdir=${place.home}`,
        `--socket=${path.join(place.home, 'sock')}`,
        `--pid-file=${path.join(place.home, 'pid')}`,
        `--wsrep-provider=${programs.provider}`,
        `--wsrep-cluster-address=${address}`,
        `--wsrep-node-name=${name}`,
        `--wsrep-node-address=${host}:${group}`,
        `--wsrep-sst-receive-address=${host}:${sst}`,
        `--wsrep-provider-options=${shipped}; gmcast.listen_addr=tcp://${host}:${group}; ist.recv_addr=${host}:${ist}; gcache.size=32M`,
        ...options,
      ],
      account: ACCOUNT,
    });
    this.#child = await startChild({
      ...program,
      env: environmentOf(programs, place.home),
      logFile: path.join(home, `${name}.log`),
      graceMs: STOP_GRACE_MS,
      removeIfOrphaned: [home],
    });
  }

  /** How this node sees the cluster, as `{ component, state, size }` from its `wsrep_` status; undefined when the node does not answer. */
  async view() {
    try {
      const connection = await this.#connect();
      try {
        const [rows] = await connection.query({ sql: VIEW, timeout: ANSWER_TIME_LIMIT_MS });
        const value = (name) => rows.find((row) => row.Variable_name === name)?.Value;
        return {
          component: value('wsrep_cluster_status'),
          state: value('wsrep_local_state_comment'),
          size: Number(value('wsrep_cluster_size')),
        };
      } finally {
        connection.destroy();
      }
    } catch {
      return undefined;
    }
  }

  /** Whether the node is a synchronized part of a cluster of at least `size` nodes. */
  async isSynced(size = 1) {
    const view = await this.view();
    return view?.state === 'Synced' && view.size >= size;
  }

  /** Cuts the node off from the other nodes but not from its clients, by a switch that Galera has for tests; or connects it again. */
  async isolate(isCutOff) {
    const connection = await this.#connect();
    try {
      await connection.query(`SET GLOBAL wsrep_provider_options = 'gmcast.isolate=${Number(isCutOff)}'`);
    } finally {
      connection.destroy();
    }
  }

  async untilSynced(size) {
    const deadline = Date.now() + JOIN_TIME_LIMIT_MS;
    while (!(await this.isSynced(size))) {
      if (!this.isAlive() || Date.now() > deadline) throw new Error(`${this.name} did not join:\n${await this.log()}`);
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  get logFile() {
    return path.join(this.#settings.home, `${this.name}.log`);
  }

  /** The last lines of its log. */
  async log() {
    const text = await readFile(this.logFile, 'utf8').catch(() => '');
    return text.trim().split('\n').slice(-40).join('\n');
  }

  #connect() {
    // Required here, because this file is loaded before the packages are installed.
    const { createConnection } = require('mysql2/promise');
    const { password } = this.#settings;
    const { host } = this.machine;
    return createConnection({ host, port: this.port, user: USER, password, connectTimeout: ANSWER_TIME_LIMIT_MS });
  }
}

function environmentOf({ mariadbd, folders }, home) {
  const { env } = runSettings(mariadbd);
  if (folders.length === 0) return { ...env, TMPDIR: home };
  return {
    ...env,
    PATH: [...folders, env.PATH].join(path.delimiter),
    LD_LIBRARY_PATH: [...libraryFolders(UNPACKED_FOLDER), env.LD_LIBRARY_PATH].filter(Boolean).join(path.delimiter),
    TMPDIR: home,
  };
}

/** The data folder of the first node. */
async function makeDataFolder({ programs, home, places, password, database, certificate, client }) {
  for (const place of places) await mkdir(place.home);
  const [first] = places;
  const data = path.join(first.home, 'data');
  await mkdir(data);
  await fillDataFolder(programs.installDb, home, data);
  const statements = [...accountStatements({ password, database, client }), `CREATE USER haproxy@'${client}';\n`];
  await runBootstrap(programs.mariadbd, data, statements);
  await writeSettings(home, certificate);
  await giveToAccount(home);
}

/** Writes the options of TLS to a file, as on a real machine: the program that copies a node reads only the file and not the command line. */
async function writeSettings(home, certificate) {
  let text = `!include ${SHIPPED}\n`;
  for (const [name, pem] of Object.entries(certificate ?? {})) {
    const file = path.join(home, `${name}.pem`);
    await writeFile(file, pem, { mode: 0o600 });
    text += `[mariadbd]\nssl-${name} = ${file}\n`;
  }
  await writeFile(path.join(home, SETTINGS), text);
}

async function copyDataFolder([first, ...others]) {
  for (const { home } of others) {
    await cp(path.join(first.home, 'data'), path.join(home, 'data'), { recursive: true });
    await rm(path.join(home, 'data', 'galera.cache'), { force: true });
    await giveToAccount(home);
  }
}

async function giveToAccount(folder) {
  if (IS_ROOT) await promisify(execFile)('chown', ['-R', `${ACCOUNT.uid}:${ACCOUNT.gid}`, folder]);
}

/** Runs statements on a data folder without a server. Each text has its statement on one line, as MariaDB's `--bootstrap` requires. */
async function runBootstrap(mariadbd, data, statements) {
  const { env, mariadbArgs } = runSettings(mariadbd);
  const options = ['--bootstrap', `--datadir=${data}`, '--innodb-log-file-size=16M', '--wsrep-on=OFF'];
  const args = ['--no-defaults', ...mariadbArgs, ...options];
  if (IS_ROOT) args.push('--user=root');
  const child = spawn(mariadbd, args, { env, stdio: ['pipe', 'ignore', 'pipe'] });
  let errorOutput = '';
  child.stderr.on('data', (text) => (errorOutput += text));
  child.stdin.end(statements.join('\n'));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`MariaDB could not make its accounts: ${errorOutput.slice(-2_000)}`);
}

/** The statements that create the database and its administrator, who connects from the address `client`. */
function accountStatements({ password, database, client = HOST }) {
  return [
    'FLUSH PRIVILEGES;',
    `CREATE DATABASE ${database} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;`,
    `CREATE USER '${USER}'@'${client}' IDENTIFIED BY '${password}';`,
    `GRANT ALL ON *.* TO '${USER}'@'${client}' WITH GRANT OPTION;`,
    '',
  ];
}

module.exports = { TEST_OPTIONS, accountStatements, runBootstrap, startGalera };
