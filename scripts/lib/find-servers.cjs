'use strict';
const { accessSync, constants, existsSync, readdirSync } = require('node:fs');
const { delimiter, join } = require('node:path');

const ROOT = join(__dirname, '..', '..');
/** Where packages are unpacked when nobody may install them on the machine. */
const UNPACKED = join(ROOT, '.local', 'servers');

const STANDARD_FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/** The server programs to run: `{ mariadbd, installDb, natsServer }` as paths, each undefined when missing. */
function findServers(places = [machineFolders(), [join(UNPACKED, 'usr/sbin'), join(UNPACKED, 'usr/bin')]]) {
  const found = places.map((folders) => ({
    mariadbd: programIn(folders, 'mariadbd'),
    installDb: programIn(folders, 'mariadb-install-db'),
    natsServer: programIn(folders, 'nats-server'),
  }));
  // MariaDB only as a whole: a server of one version with the set-up script of another does not start.
  const { mariadbd, installDb } = found.find((place) => place.mariadbd && place.installDb) ?? {};
  return { mariadbd, installDb, natsServer: found.find((place) => place.natsServer)?.natsServer };
}

function machineFolders() {
  return [...new Set([...(process.env.PATH ?? '').split(delimiter), ...STANDARD_FOLDERS])].filter(Boolean);
}

function programIn(folders, name) {
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What a program needs to run from the unpacked copy, whose compiled-in paths point at the machine's own folders. */
function runSettings(program) {
  if (!program.startsWith(UNPACKED)) return { env: process.env, basedir: undefined, mariadbArgs: [] };
  const basedir = join(UNPACKED, 'usr');
  return {
    env: {
      ...process.env,
      LD_LIBRARY_PATH: [...libraryFolders(), process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter),
      PATH: [join(basedir, 'bin'), join(basedir, 'sbin'), process.env.PATH].filter(Boolean).join(delimiter),
    },
    basedir,
    mariadbArgs: [
      `--basedir=${basedir}`,
      `--lc-messages-dir=${join(basedir, 'share/mysql')}`,
      `--character-sets-dir=${join(basedir, 'share/mysql/charsets')}`,
      `--plugin-dir=${join(basedir, 'lib/mysql/plugin')}`,
    ],
  };
}

function libraryFolders() {
  return [join(UNPACKED, 'usr/lib'), join(UNPACKED, 'lib')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.includes('-linux-'))
        .map((name) => join(folder, name)),
    );
}

module.exports = { ROOT, UNPACKED, findServers, runSettings };
