'use strict';
const { mkdir, mkdtemp, readFile, rm, writeFile } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { startChild } = require('./child.cjs');
const { withLock } = require('./file-lock.cjs');
const { ROOT, isExecutable, libraryFolders, programOnPath } = require('./find-servers.cjs');
const { INSTALL_TIME_LIMIT_MS, reasonOf, unpackPackages } = require('./install-servers.cjs');

const UNPACKED = path.join(ROOT, '.local', 'haproxy');
const HOW_TO_GET_IT = 'This needs HAProxy: on Debian apt-get install haproxy';
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
  if (command.startsWith(UNPACKED)) env.LD_LIBRARY_PATH = libraryFolders(UNPACKED).join(path.delimiter);
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

async function ensureHaproxy() {
  const found = findHaproxy();
  if (found) return found;
  await mkdir(path.dirname(UNPACKED), { recursive: true });
  await withLock(`${UNPACKED}.lock`, INSTALL_TIME_LIMIT_MS, async () => {
    // The previous holder of the lock has probably unpacked it.
    if (!findHaproxy()) await unpackPackages(['haproxy'], UNPACKED);
  }).catch((error) => {
    throw new Error(`${HOW_TO_GET_IT} (apt could not: ${reasonOf(error)})`);
  });
  const unpacked = findHaproxy();
  if (!unpacked) throw new Error(HOW_TO_GET_IT);
  return unpacked;
}

function findHaproxy() {
  const unpacked = path.join(UNPACKED, 'usr/sbin/haproxy');
  return programOnPath('haproxy') ?? (isExecutable(unpacked) ? unpacked : undefined);
}

module.exports = { ensureHaproxy, startHaproxy };
