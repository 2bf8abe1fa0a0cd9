'use strict';
const { accessSync, constants, existsSync, readdirSync } = require('node:fs');
const path = require('node:path');

const ROOT = path.join(__dirname, '..', '..');
/** The folder into which the packages of the servers are unpacked when this user may not install them. */
const UNPACKED_SERVERS_FOLDER = path.join(ROOT, '.local', 'servers');

/** The folder in which Node keeps compiled modules (NODE_COMPILE_CACHE) of programs that the build has not compiled, so that they start sooner. */
const COMPILE_CACHE_FOLDER = path.join(ROOT, '.local', 'compile-cache');

const STANDARD_PROGRAM_FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/** The server programs to run: `{ mariadbd, installDb, natsServer }` as paths, each undefined when missing. */
function findServers(
  places = [
    machineFolders(),
    [path.join(UNPACKED_SERVERS_FOLDER, 'usr/sbin'), path.join(UNPACKED_SERVERS_FOLDER, 'usr/bin')],
  ],
) {
  const found = places.map((folders) => ({
    mariadbd: programIn(folders, 'mariadbd'),
    installDb: programIn(folders, 'mariadb-install-db'),
    natsServer: programIn(folders, 'nats-server'),
  }));
  // Both programs of MariaDB come from one place: a server does not start with the set-up script of another version.
  const { mariadbd, installDb } = found.find((place) => place.mariadbd && place.installDb) ?? {};
  return { mariadbd, installDb, natsServer: found.find((place) => place.natsServer)?.natsServer };
}

function machineFolders() {
  return [...new Set([...(process.env.PATH ?? '').split(path.delimiter), ...STANDARD_PROGRAM_FOLDERS])].filter(Boolean);
}

/** The path of a program of this machine; undefined when it has none. */
function programOnPath(name) {
  return programIn(machineFolders(), name);
}

function programIn(folders, name) {
  return folders.map((folder) => path.join(folder, name)).find(isExecutable);
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The environment and arguments with which a program runs. An unpacked program needs special ones, because its compiled-in paths are those of an installation. */
function runSettings(program) {
  if (!program.startsWith(UNPACKED_SERVERS_FOLDER)) return { env: process.env, basedir: undefined, mariadbArgs: [] };
  const basedir = path.join(UNPACKED_SERVERS_FOLDER, 'usr');
  return {
    env: {
      ...process.env,
      LD_LIBRARY_PATH: [...libraryFolders(UNPACKED_SERVERS_FOLDER), process.env.LD_LIBRARY_PATH]
        .filter(Boolean)
        .join(path.delimiter),
      PATH: [path.join(basedir, 'bin'), path.join(basedir, 'sbin'), process.env.PATH]
        .filter(Boolean)
        .join(path.delimiter),
    },
    basedir,
    mariadbArgs: [
      `--basedir=${basedir}`,
      `--lc-messages-dir=${path.join(basedir, 'share/mysql')}`,
      `--character-sets-dir=${path.join(basedir, 'share/mysql/charsets')}`,
      `--plugin-dir=${path.join(basedir, 'lib/mysql/plugin')}`,
    ],
  };
}

/** The folders with the libraries of unpacked packages. */
function libraryFolders(unpacked) {
  return [path.join(unpacked, 'usr/lib'), path.join(unpacked, 'lib')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.includes('-linux-'))
        .map((name) => path.join(folder, name)),
    );
}

module.exports = {
  COMPILE_CACHE_FOLDER,
  ROOT,
  UNPACKED_SERVERS_FOLDER,
  findServers,
  isExecutable,
  libraryFolders,
  programOnPath,
  runSettings,
};
