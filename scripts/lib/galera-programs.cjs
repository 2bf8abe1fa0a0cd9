'use strict';
const { existsSync } = require('node:fs');
const { mkdir } = require('node:fs/promises');
const path = require('node:path');
const { withLock } = require('./file-lock.cjs');
const { ROOT, programOnPath } = require('./find-servers.cjs');
const { INSTALL_TIME_LIMIT_MS, ensureServers, reasonOf, unpackPackages } = require('./install-servers.cjs');

const PROVIDER = '/usr/lib/galera/libgalera_smm.so';
const UNPACKED_FOLDER = path.join(ROOT, '.local', 'galera');
/** A program without which the script that copies one node to another refuses nodes that offer TLS. */
const STUNNEL = 'stunnel';
/** Debian's packages with Galera's library, and with the scripts and programs that copy one node to another, and their libraries. */
const PACKAGES = ['galera-4', 'mariadb-server', 'rsync', 'libpopt0', 'libxxhash0', 'stunnel4', 'libwrap0'];

/**
 * The programs of MariaDB, the path of Galera's library, and the folders of the programs that copy one node to another. A missing library is
 * unpacked from Debian's packages in `.local/` and not installed, because the package `mariadb-server` would start a machine-wide server.
 */
async function ensureGalera() {
  const programs = await ensureServers();
  if (existsSync(PROVIDER) && programOnPath(STUNNEL)) return { ...programs, provider: PROVIDER, folders: [] };
  const provider = path.join(UNPACKED_FOLDER, PROVIDER);
  await mkdir(path.dirname(UNPACKED_FOLDER), { recursive: true });
  await withLock(`${UNPACKED_FOLDER}.lock`, INSTALL_TIME_LIMIT_MS, async () => {
    const isComplete = existsSync(provider) && existsSync(path.join(UNPACKED_FOLDER, 'usr/bin', STUNNEL));
    // The previous holder of the lock has probably unpacked it.
    if (!isComplete) await unpackPackages(PACKAGES, UNPACKED_FOLDER, { alone: true });
  }).catch((error) => {
    throw new Error(
      `This needs Galera: on Debian apt-get install mariadb-server galera-4 rsync stunnel4 (apt could not: ${reasonOf(error)})`,
    );
  });
  return { ...programs, provider, folders: [path.join(UNPACKED_FOLDER, 'usr/bin')] };
}

module.exports = { UNPACKED_FOLDER, ensureGalera };
