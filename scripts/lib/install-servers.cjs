'use strict';
const { execFile } = require('node:child_process');
const { mkdir, readdir, rename, rm } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { withLock } = require('./file-lock.cjs');
const { UNPACKED_SERVERS_FOLDER, findServers } = require('./find-servers.cjs');

const run = promisify(execFile);
const INSTALL_TIME_LIMIT_MS = 10 * 60_000;
/** The server programs without the machine-wide service that `mariadb-server` sets up and starts. */
const DEBIAN_PACKAGES = ['mariadb-server-core', 'mariadb-client-core', 'nats-server'];
const INSTALL_INSTRUCTIONS =
  'Batuta needs MariaDB and NATS: install them (on Debian `apt-get install mariadb-server nats-server`), ' +
  'or run everything in containers with `docker compose up`.';

/**
 * Returns the paths of the server programs and installs missing ones: as root with apt, else by unpacking the downloaded
 * packages in `.local/`. Throws an error that explains how to install them when neither works.
 */
async function ensureServers({ say = () => {} } = {}) {
  const found = findServers();
  if (isComplete(found)) return found;
  const asRoot = process.getuid?.() === 0;
  const lockFile = asRoot
    ? path.join(tmpdir(), 'batuta-apt.lock')
    : path.join(UNPACKED_SERVERS_FOLDER, '..', 'servers.lock');
  await withLock(lockFile, INSTALL_TIME_LIMIT_MS, async () => {
    // The previous holder of the lock has probably installed them.
    if (isComplete(findServers())) return;
    say('Getting MariaDB and NATS (once) …');
    await (asRoot ? installPackages(DEBIAN_PACKAGES) : unpackPackages(DEBIAN_PACKAGES, UNPACKED_SERVERS_FOLDER)).catch(
      (error) => {
        throw new Error(`${INSTALL_INSTRUCTIONS}\n(apt could not: ${reasonOf(error)})`);
      },
    );
  });
  const installed = findServers();
  if (!isComplete(installed)) throw new Error(INSTALL_INSTRUCTIONS);
  return installed;
}

function isComplete({ mariadbd, installDb, natsServer }) {
  return Boolean(mariadbd && installDb && natsServer);
}

async function installPackages(packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) =>
    run('apt-get', ['-o', 'DPkg::Lock::Timeout=120', '-q', ...args], { env, maxBuffer: 1 << 26 });
  await apt('update');
  await apt('install', '-y', '--no-install-recommends', ...packages);
}

/**
 * Provides packages without root: downloads its own package lists and the missing packages, and unpacks these into one folder. With `alone`,
 * leaves out the packages on which they depend.
 */
async function unpackPackages(packages, folder, { alone = false } = {}) {
  const work = `${folder}.work`;
  const archives = path.join(work, 'archives');
  const tree = path.join(work, 'tree');
  await rm(work, { recursive: true, force: true });
  for (const part of ['lists/partial', 'cache/archives/partial', 'archives', 'tree']) {
    await mkdir(path.join(work, part), { recursive: true });
  }
  const own = ['-o', `Dir::State::Lists=${path.join(work, 'lists')}`, '-o', `Dir::Cache=${path.join(work, 'cache')}`];
  const apt = (...args) =>
    run('apt-get', [...own, '-o', 'Debug::NoLocking=1', '-q', ...args], {
      cwd: archives,
      env: process.env,
      maxBuffer: 1 << 26,
    });
  await apt('update');
  const plan = alone ? { stdout: '' } : await apt('install', '--simulate', '--no-install-recommends', ...packages);
  const names = [...plan.stdout.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
  await apt('download', ...new Set([...packages, ...names]));
  for (const archive of await readdir(archives)) await run('dpkg', ['-x', path.join(archives, archive), tree]);
  // The rename is atomic: a run that is killed before it leaves no incomplete copy.
  await rm(folder, { recursive: true, force: true });
  await rename(tree, folder);
  await rm(work, { recursive: true, force: true });
}

/** The error message of apt without the addresses of its servers. */
function reasonOf(error) {
  const lines = String(error.stderr || error.message).split('\n');
  const complaint = lines.find((line) => line.startsWith('E:')) ?? lines[0];
  return complaint.replaceAll(/\w+:\/\/\S+/g, '…').replaceAll(/\b\d{1,3}(\.\d{1,3}){3}\S*/g, '…');
}

module.exports = { INSTALL_TIME_LIMIT_MS, ensureServers, installPackages, reasonOf, unpackPackages };
