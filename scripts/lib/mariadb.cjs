'use strict';
const { execFile } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const { existsSync, realpathSync } = require('node:fs');
const { cp, mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { startChild } = require('./child.cjs');
const { runSettings } = require('./find-servers.cjs');
const { ensureServers } = require('./install-servers.cjs');
const { freePort } = require('./ports.cjs');
const { commandLine, endProcess, processIdentity } = require('./process-identity.cjs');

const HOST = '127.0.0.1';
const USER = 'batuta';
const READY_TIME_LIMIT_MS = 60_000;
const STOP_GRACE_MS = 20_000;
const MAX_PORT_TRIES = 5;
const ROOT_OPTIONS = process.getuid?.() === 0 ? ['--user=root'] : [];

const SERVER_OPTIONS = [
  `--bind-address=${HOST}`,
  '--skip-name-resolve',
  '--character-set-server=utf8mb4',
  '--collation-server=utf8mb4_unicode_ci',
  '--default-time-zone=+00:00',
  '--transaction-isolation=READ-COMMITTED',
  '--innodb-flush-log-at-trx-commit=1',
  '--max-connections=300',
  '--max-allowed-packet=64M',
];
/**
 * Options of throw-away servers, several of which run at a time in tests: little memory, and no flushes to the disk, because their data
 * must survive a kill of the server but not a crash of the machine. Without a file per table and without stored statistics, the creation and
 * the removal of a database take half of the processor time.
 */
const TEST_SERVER_OPTIONS = [
  '--innodb-buffer-pool-size=64M',
  '--innodb-log-file-size=16M',
  '--key-buffer-size=1M',
  '--innodb-flush-method=nosync',
  '--loose-debug-no-sync',
  '--innodb-file-per-table=0',
  '--innodb-stats-persistent=0',
  // Enough connections for the services of several test worlds.
  '--max-connections=1000',
];
const WITHOUT_BINARY_LOG = ['--skip-log-bin'];
const WITH_BINARY_LOG = ['--log-bin=binlog', '--binlog-format=ROW', '--server-id=1'];
/** The options about sizes of memory and files in k8s/overlays/local/mariadb.cnf. */
const SHIPPED_SIZE_OPTIONS = ['--innodb-buffer-pool-size=256M', '--innodb-log-file-size=96M'];

/**
 * Starts a private MariaDB and resolves when its account can log in. Without `dir` it is a throw-away server, which is removed with its files by
 * stop() or when this process ends; with `dir` its data stay there. Creates `database` if it is missing.
 * - `password`: sets the account's password, which a restart needs; by default a random one.
 * - `port`: is used if it is free. `options`: further arguments of the server.
 * - `roomy`: gives the server SHIPPED_SIZE_OPTIONS in place of TEST_SERVER_OPTIONS; by default true for a server with a `dir`.
 * - `keepTemplate`: the handle also names a copy of the new data folder; a later server that gets it as `template` starts sooner.
 * - `certificate` (`{ key, cert }` as PEM): the server offers TLS. `binaryLog`: it writes a binary log.
 */
async function startMariadb({
  dir,
  database,
  password = randomBytes(24).toString('base64url'),
  port,
  throwAway = dir === undefined,
  roomy = !throwAway,
  template = process.env.BATUTA_TEST_MARIADB_TEMPLATE,
  keepTemplate = false,
  certificate,
  binaryLog = false,
  options = [],
} = {}) {
  const programs = await ensureServers();
  const home = dir ? path.resolve(dir) : await mkdtemp(path.join(tmpdir(), 'batuta-mariadb-'));
  await mkdir(home, { recursive: true, mode: 0o700 });
  await endLeftOverServer(home);
  await createDataFolder(programs, home, throwAway ? template : undefined);
  const kept = keepTemplate ? path.join(home, 'template') : undefined;
  if (kept) await cp(path.join(home, 'data'), kept, { recursive: true });
  for (let attempt = 1; ; attempt++) {
    const taken = await freePort(attempt === 1 ? port : 0);
    const started = await tryStart({
      programs,
      home,
      throwAway,
      roomy,
      database,
      password,
      certificate,
      binaryLog,
      options,
      port: taken,
    });
    if (started) return { ...started, template: kept };
    if (attempt === MAX_PORT_TRIES)
      throw new Error(`MariaDB did not start: ${await lastLines(path.join(home, 'mariadbd.log'))}`);
  }
}

/** Ends the server of an earlier run that was killed, which may still hold the data. */
async function endLeftOverServer(home) {
  const text = await readFile(path.join(home, 'mariadbd.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  const identity = processIdentity(pid);
  if (identity && commandLine(pid).includes(`--datadir=${path.join(home, 'data')}`))
    await endProcess(pid, identity, STOP_GRACE_MS);
}

async function createDataFolder({ installDb }, home, template) {
  const data = path.join(home, 'data');
  if (existsSync(data)) return;
  for (const name of await readdir(home)) {
    if (name.startsWith('new-')) await rm(path.join(home, name), { recursive: true, force: true });
  }
  // The folder is created under a unique name and renamed: a run that is killed here leaves no incomplete folder under the final name, and
  // its set-up script, which may survive the run for a moment, does not write into the folder of the next run.
  const fresh = await mkdtemp(path.join(home, 'new-'));
  if (template) await cp(template, fresh, { recursive: true });
  else await fillDataFolder(installDb, home, fresh);
  await rename(fresh, data);
}

async function fillDataFolder(installDb, home, fresh) {
  const { env, basedir } = runSettings(installDb);
  const args = ['--no-defaults', ...ROOT_OPTIONS, `--datadir=${fresh}`, '--auth-root-authentication-method=socket'];
  if (basedir) args.push(`--basedir=${basedir}`, `--lc-messages-dir=${path.join(basedir, 'share/mysql')}`);
  args.push('--skip-test-db', '--innodb-log-file-size=16M');
  await promisify(execFile)(installDb, args, { env: ownTemporaryFolder(env, home), maxBuffer: 1 << 24 });
}

/** Gives a server a temporary folder of its own: a starting server removes all temporary tables in that folder, in /tmp also those of others. */
function ownTemporaryFolder(env, home) {
  return { ...env, TMPDIR: home };
}

/** Starts the server; undefined when it ended by itself, for example because its port was taken in the meantime, or is not ready in time. */
async function tryStart({
  programs,
  home,
  throwAway,
  roomy,
  database,
  password,
  certificate,
  binaryLog,
  options,
  port,
}) {
  const data = path.join(home, 'data');
  const initFile = path.join(home, 'account.sql');
  const socketDir = await socketFolder(home);
  await writeFile(initFile, initialSql({ database, password }), { mode: 0o600 });
  const { env, mariadbArgs } = runSettings(programs.mariadbd);
  const child = await startChild({
    command: programs.mariadbd,
    args: [
      '--no-defaults',
      ...ROOT_OPTIONS,
      ...mariadbArgs,
      ...SERVER_OPTIONS,
      ...(roomy ? SHIPPED_SIZE_OPTIONS : TEST_SERVER_OPTIONS),
      ...(binaryLog ? WITH_BINARY_LOG : WITHOUT_BINARY_LOG),
      ...(certificate ? await tlsArgs(home, certificate) : []),
      ...options,
      `--datadir=${data}`,
      `--port=${port}`,
      `--socket=${path.join(socketDir, 'mariadbd.sock')}`,
      `--pid-file=${path.join(home, 'mariadbd.pid')}`,
      `--init-file=${initFile}`,
    ],
    env: ownTemporaryFolder(env, home),
    logFile: path.join(home, 'mariadbd.log'),
    graceMs: STOP_GRACE_MS,
    removeIfOrphaned: throwAway ? [home, socketDir] : [socketDir].filter((folder) => folder !== home),
  });
  const ready = await waitUntilReady({ child, port, password, data });
  await rm(initFile, { force: true });
  if (!ready) {
    await child.stop();
    return undefined;
  }
  const stop = async () => {
    await child.stop();
    if (socketDir !== home) await rm(socketDir, { recursive: true, force: true });
    if (throwAway) await rm(home, { recursive: true, force: true });
  };
  return {
    ...child,
    end: child.stop,
    stop,
    dir: home,
    host: HOST,
    port,
    user: USER,
    password,
    databaseUrl: urlOf({ port, password }),
  };
}

async function tlsArgs(home, { key, cert }) {
  await Promise.all([
    writeFile(path.join(home, 'key.pem'), key, { mode: 0o600 }),
    writeFile(path.join(home, 'cert.pem'), cert),
  ]);
  return [`--ssl-key=${path.join(home, 'key.pem')}`, `--ssl-cert=${path.join(home, 'cert.pem')}`];
}

/** The folder for the server's Unix socket: a short one when `home` is too long, because the path of a socket has at most 107 characters. */
async function socketFolder(home) {
  return path.join(home, 'mariadbd.sock').length > 100 ? mkdtemp(path.join(tmpdir(), 'batuta-')) : home;
}

/** The statements, one on each line, that the server runs before it accepts connections. */
function initialSql({ database, password }) {
  const account = `'${USER}'@'${HOST}'`;
  return [
    ...(database ? [`CREATE DATABASE IF NOT EXISTS ${database};`] : []),
    `CREATE OR REPLACE USER ${account} IDENTIFIED BY '${password}';`,
    `GRANT ALL ON *.* TO ${account} WITH GRANT OPTION;`,
    '',
  ].join('\n');
}

function urlOf({ port, password }) {
  return (database) => `mysql://${USER}:${encodeURIComponent(password)}@${HOST}:${port}/${database}`;
}

/**
 * True when the new account can log in and the server reports the expected data folder; false when the child has ended, or after the time limit.
 * If another server has the port, the check fails by the random password or the folder, and the child ends because it cannot listen.
 */
async function waitUntilReady({ child, port, password, data }) {
  const deadline = Date.now() + READY_TIME_LIMIT_MS;
  while (child.isAlive()) {
    if ((await dataFolderAt({ port, password })) === realpathSync(data)) return child.isAlive();
    if (Date.now() > deadline) return false;
    await new Promise((done) => setTimeout(done, 25));
  }
  return false;
}

async function dataFolderAt({ port, password }) {
  // Required here, because this file is loaded before the packages are installed.
  const { createConnection } = require('mysql2/promise');
  try {
    const connection = await createConnection({ host: HOST, port, user: USER, password, connectTimeout: 2_000 });
    const [[row]] = await connection.query('SELECT @@datadir AS folder');
    connection.destroy();
    return realpathSync(row.folder);
  } catch {
    return undefined;
  }
}

async function lastLines(logFile) {
  const text = await readFile(logFile, 'utf8').catch(() => 'it wrote no log');
  return text.trim().split('\n').slice(-8).join('\n');
}

module.exports = { fillDataFolder, startMariadb };
