'use strict';
const { mkdir, mkdtemp, readFile, rm, writeFile } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { startChild } = require('./child.cjs');
const { withLock } = require('./file-lock.cjs');
const { ROOT, isExecutable, libraryFolders, programOnPath } = require('./find-servers.cjs');
const { INSTALL_TIME_LIMIT_MS, reasonOf, unpackPackages } = require('./install-servers.cjs');

const UNPACKED_FOLDER = path.join(ROOT, '.local', 'haproxy');
const INSTALL_INSTRUCTIONS = 'This needs HAProxy: on Debian apt-get install haproxy';
const STOP_GRACE_MS = 2_000;

/**
 * Starts a throw-away HAProxy with this configuration. A missing program is unpacked from Debian's package in `.local/` and not installed,
 * because the package would start a machine-wide proxy. The caller must check that the proxy works; `log()` says why it does not.
 */
async function startHaproxy(configuration) {
  const command = await ensureHaproxy();
  const home = await mkdtemp(path.join(tmpdir(), 'batuta-haproxy-'));
  const configFile = path.join(home, 'haproxy.cfg');
  const logFile = path.join(home, 'haproxy.log');
  await writeFile(configFile, configuration);
  const env = { ...process.env };
  if (command.startsWith(UNPACKED_FOLDER)) env.LD_LIBRARY_PATH = libraryFolders(UNPACKED_FOLDER).join(path.delimiter);
  const child = await startChild({
    command,
    args: ['-db', '-f', configFile],
    env,
    logFile,
    graceMs: STOP_GRACE_MS,
    removeIfOrphaned: [home],
  });
  return {
    ...child,
    log: () => readFile(logFile, 'utf8'),
    async stop() {
      await child.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Returns the path of the program. Throws an Error that says how to install it, if it is missing and cannot be unpacked. */
async function ensureHaproxy() {
  const found = findHaproxy();
  if (found) return found;
  await mkdir(path.dirname(UNPACKED_FOLDER), { recursive: true });
  await withLock(`${UNPACKED_FOLDER}.lock`, INSTALL_TIME_LIMIT_MS, async () => {
    // The previous holder of the lock has probably unpacked it.
    if (!findHaproxy()) await unpackPackages(['haproxy'], UNPACKED_FOLDER);
  }).catch((error) => {
    throw new Error(`${INSTALL_INSTRUCTIONS} (apt could not: ${reasonOf(error)})`);
  });
  const unpacked = findHaproxy();
  if (!unpacked) throw new Error(INSTALL_INSTRUCTIONS);
  return unpacked;
}

function findHaproxy() {
  const unpacked = path.join(UNPACKED_FOLDER, 'usr/sbin/haproxy');
  return programOnPath('haproxy') ?? (isExecutable(unpacked) ? unpacked : undefined);
}

module.exports = { ensureHaproxy, startHaproxy };
