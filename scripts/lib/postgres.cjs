'use strict';
const { execFile } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const { existsSync, readdirSync } = require('node:fs');
const { appendFile, chmod, chown, mkdir, mkdtemp, readFile, realpath, rm, writeFile } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { startChild } = require('./child.cjs');
const { withLock } = require('./file-lock.cjs');
const { ROOT, isExecutable, libraryFolders } = require('./find-servers.cjs');
const { INSTALL_TIME_LIMIT_MS, installPackages, reasonOf, unpackPackages } = require('./install-servers.cjs');
const { freePort } = require('./ports.cjs');

const run = promisify(execFile);
const HOST = '127.0.0.1';
const USER = 'batuta';
const READY_TIME_LIMIT_MS = 60_000;
const STOP_GRACE_MS = 5_000;
const MAX_PORT_TRIES = 5;
const UNPACKED_POSTGRES_FOLDER = path.join(ROOT, '.local', 'postgres');
const IS_ROOT = process.getuid?.() === 0;
/** The account of the server: as root, `nobody` of Linux, because PostgreSQL refuses to run as root. */
const SERVER_ACCOUNT = IS_ROOT ? { uid: 65_534, gid: 65_534 } : {};
const SERVER_OPTIONS = [`listen_addresses=${HOST}`, 'unix_socket_directories=', 'max_connections=30'];
/** Options of a server for tests, whose data need not survive a crash of the machine. */
const TEST_OPTIONS = ['shared_buffers=16MB', 'fsync=off'];
const DURABLE_OPTIONS = ['shared_buffers=512MB', 'max_wal_size=4GB'];

/**
 * Starts a throw-away PostgreSQL on a free port of the loopback, removed with its files by stop() or when this process ends.
 * With `certificate` (`{ key, cert }` as PEM) it offers TLS. `durable`: it flushes each commit, and has the memory of a real server.
 * Resolves when its account can log in.
 */
async function startPostgres({ certificate, durable = false } = {}) {
  const bin = await ensurePostgres();
  const home = await mkdtemp(path.join(tmpdir(), 'batuta-postgres-'));
  const password = randomBytes(24).toString('base64url');
  await createDataFolder({ bin, home, password });
  if (certificate) await offerTls(home, certificate);
  for (let attempt = 1; ; attempt++) {
    const started = await tryStart({ bin, home, password, durable, port: await freePort() });
    if (started) return started;
    if (attempt === MAX_PORT_TRIES) throw new Error(`PostgreSQL did not start: ${await lastLines(home)}`);
  }
}

/** The folder of the programs; missing ones are installed, as root with apt, else by unpacking the packages in `.local/`. */
async function ensurePostgres() {
  const found = findPostgres();
  if (found) return found;
  const lockFile = IS_ROOT ? path.join(tmpdir(), 'batuta-apt.lock') : `${UNPACKED_POSTGRES_FOLDER}.lock`;
  await mkdir(path.dirname(lockFile), { recursive: true });
  await withLock(lockFile, INSTALL_TIME_LIMIT_MS, async () => {
    // The previous holder of the lock has probably installed it.
    if (!findPostgres())
      await (IS_ROOT ? installWithoutCluster() : unpackPackages(['postgresql'], UNPACKED_POSTGRES_FOLDER));
  }).catch((error) => {
    throw new Error(
      `The tests need PostgreSQL: on Debian apt-get install postgresql (apt could not: ${reasonOf(error)})`,
    );
  });
  const installed = findPostgres();
  if (!installed) throw new Error('The tests need PostgreSQL: install it (on Debian apt-get install postgresql)');
  return installed;
}

/** Installs PostgreSQL with a setting that keeps Debian's packages from starting a machine-wide server. */
async function installWithoutCluster() {
  const settings = '/etc/postgresql-common/createcluster.conf';
  await mkdir(path.dirname(settings), { recursive: true });
  if (!existsSync(settings)) await writeFile(settings, 'create_main_cluster = false\n');
  await installPackages(['postgresql']);
}

/** Searches the folders in which Debian keeps the programs of each version; they are not in PATH. */
function findPostgres() {
  const versions = [path.join(UNPACKED_POSTGRES_FOLDER, 'usr/lib/postgresql'), '/usr/lib/postgresql'].flatMap(
    (folder) => (existsSync(folder) ? readdirSync(folder).map((version) => path.join(folder, version, 'bin')) : []),
  );
  const inPath = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const has = (folder) => ['initdb', 'postgres'].every((name) => isExecutable(path.join(folder, name)));
  return [...versions, ...inPath, '/usr/local/bin', '/opt/homebrew/bin'].find(has);
}

function environmentFor(bin) {
  if (!bin.startsWith(UNPACKED_POSTGRES_FOLDER)) return process.env;
  const libraries = [...libraryFolders(UNPACKED_POSTGRES_FOLDER), process.env.LD_LIBRARY_PATH].filter(Boolean);
  return { ...process.env, LD_LIBRARY_PATH: libraries.join(path.delimiter) };
}

async function createDataFolder({ bin, home, password }) {
  const passwordFile = path.join(home, 'password');
  await writeFile(passwordFile, password);
  if (IS_ROOT) for (const file of [home, passwordFile]) await chown(file, SERVER_ACCOUNT.uid, SERVER_ACCOUNT.gid);
  await chmod(passwordFile, 0o600);
  const args = [`--pgdata=${path.join(home, 'data')}`, `--username=${USER}`, `--pwfile=${passwordFile}`];
  args.push('--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync');
  await run(path.join(bin, 'initdb'), args, {
    ...SERVER_ACCOUNT,
    cwd: home,
    env: environmentFor(bin),
    maxBuffer: 1 << 24,
  });
  await rm(passwordFile);
}

async function offerTls(home, { key, cert }) {
  for (const [name, pem] of Object.entries({ key, cert })) {
    const file = path.join(home, 'data', `${name}.pem`);
    await writeFile(file, pem, { mode: 0o600 });
    if (IS_ROOT) await chown(file, SERVER_ACCOUNT.uid, SERVER_ACCOUNT.gid);
  }
  const settings = "ssl = on\nssl_key_file = 'key.pem'\nssl_cert_file = 'cert.pem'\n";
  await appendFile(path.join(home, 'data', 'postgresql.conf'), settings);
}

/** Starts the server; undefined when it ended by itself, for example because its port was taken in the meantime, or is not ready in time. */
async function tryStart({ bin, home, password, durable, port }) {
  const data = path.join(home, 'data');
  const options = [...SERVER_OPTIONS, ...(durable ? DURABLE_OPTIONS : TEST_OPTIONS)];
  const child = await startChild({
    command: path.join(bin, 'postgres'),
    args: ['-D', data, '-p', String(port), ...options.flatMap((setting) => ['-c', setting])],
    env: environmentFor(bin),
    cwd: home,
    logFile: path.join(home, 'postgres.log'),
    graceMs: STOP_GRACE_MS,
    removeIfOrphaned: [home],
    account: SERVER_ACCOUNT,
  });
  if (!(await waitUntilReady({ child, port, password, data }))) {
    await child.stop();
    return undefined;
  }
  const end = () => {
    // SIGINT ends the server at once; after SIGTERM it would wait for its clients.
    child.signal('SIGINT');
    return child.stop();
  };
  const stop = async () => {
    await end();
    await rm(home, { recursive: true, force: true });
  };
  const url = `postgres://${USER}:${encodeURIComponent(password)}@${HOST}:${port}/postgres`;
  return { ...child, end, stop, dir: home, host: HOST, port, user: USER, password, url };
}

/** True when the account can log in and the server reports the expected data folder; false when the child has ended, or after the time limit. */
async function waitUntilReady({ child, port, password, data }) {
  const expected = await realpath(data);
  const deadline = Date.now() + READY_TIME_LIMIT_MS;
  while (child.isAlive()) {
    if ((await dataFolderAt({ port, password })) === expected) return child.isAlive();
    if (Date.now() > deadline) return false;
    await new Promise((done) => setTimeout(done, 25));
  }
  return false;
}

async function dataFolderAt({ port, password }) {
  // Required here, because this file is loaded before the packages are installed.
  const { Client } = require('pg');
  const client = new Client({ host: HOST, port, user: USER, password, database: 'postgres', ssl: false });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query("SELECT current_setting('data_directory') AS folder");
    return await realpath(rows[0].folder);
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => {});
  }
}

async function lastLines(home) {
  const text = await readFile(path.join(home, 'postgres.log'), 'utf8').catch(() => 'it wrote no log');
  return text.trim().split('\n').slice(-8).join('\n');
}

module.exports = { startPostgres };
