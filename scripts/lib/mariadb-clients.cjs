'use strict';
const { mkdir } = require('node:fs/promises');
const path = require('node:path');
const { withLock } = require('./file-lock.cjs');
const { ROOT, UNPACKED_SERVERS_FOLDER, isExecutable, libraryFolders, programOnPath } = require('./find-servers.cjs');
const { INSTALL_TIME_LIMIT_MS, ensureServers, reasonOf, unpackPackages } = require('./install-servers.cjs');

const UNPACKED_FOLDER = path.join(ROOT, '.local', 'mariadb-client');
const UNPACKED_PROGRAMS_FOLDER = path.join(UNPACKED_FOLDER, 'usr/bin');
/** The programs that backups need and that the packages of the server do not contain. */
const PROGRAMS = ['mariadb-dump', 'mariadb-binlog'];
const INSTALL_INSTRUCTIONS =
  'The backup needs mariadb-dump and mariadb-binlog: on Debian apt-get install mariadb-client';

/**
 * The environment variables with which a script finds `mariadb`, `mariadb-dump` and `mariadb-binlog`. Missing ones are unpacked
 * from Debian's package in `.local/`.
 */
async function ensureMariadbClients() {
  await ensureServers();
  if (!areFound()) {
    await mkdir(path.dirname(UNPACKED_FOLDER), { recursive: true });
    await withLock(`${UNPACKED_FOLDER}.lock`, INSTALL_TIME_LIMIT_MS, async () => {
      // The previous holder of the lock has probably unpacked them.
      if (!areFound()) await unpackPackages(['mariadb-client'], UNPACKED_FOLDER, { alone: true });
    }).catch((error) => {
      throw new Error(`${INSTALL_INSTRUCTIONS} (apt could not: ${reasonOf(error)})`);
    });
  }
  const folders = [process.env.PATH, UNPACKED_PROGRAMS_FOLDER, path.join(UNPACKED_SERVERS_FOLDER, 'usr/bin')];
  return {
    PATH: folders.filter(Boolean).join(path.delimiter),
    LD_LIBRARY_PATH: libraryFolders(UNPACKED_SERVERS_FOLDER).join(path.delimiter),
  };
}

function areFound() {
  return PROGRAMS.every(
    (program) => programOnPath(program) !== undefined || isExecutable(path.join(UNPACKED_PROGRAMS_FOLDER, program)),
  );
}

module.exports = { ensureMariadbClients };
