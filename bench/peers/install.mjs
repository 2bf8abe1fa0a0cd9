import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npmCommand } from '../../scripts/lib/dependencies.cjs';
import { withLock } from '../../scripts/lib/file-lock.cjs';
import { isExecutable, ROOT } from '../../scripts/lib/find-servers.cjs';
import { INSTALL_TIME_LIMIT_MS, installPackages, unpackPackages } from '../../scripts/lib/install-servers.cjs';

/** The folder into which `npm run bench -- --peers` installs the peers, which are not dependencies of the project. */
export const PEERS_FOLDER = join(ROOT, '.local', 'bench-peers');
const PACKAGES = {
  '@restatedev/restate-sdk': '1.17.2',
  '@restatedev/restate-server': '1.7.12',
  bullmq: '6.7.0',
  ioredis: '5.11.1',
  'pg-boss': '12.38.0',
};
const UNPACKED_REDIS = join(ROOT, '.local', 'redis');
const REDIS_PROGRAMS = [
  ...(process.env.PATH ?? '').split(':').map((folder) => join(folder, 'redis-server')),
  join(UNPACKED_REDIS, 'usr', 'bin', 'redis-server'),
];

/** Installs the packages of the peers (npm) and Redis (Debian) where they are missing. PostgreSQL installs itself when it is started. */
export async function ensurePeers({ say }) {
  await mkdir(join(ROOT, '.local'), { recursive: true });
  await withLock(`${PEERS_FOLDER}.lock`, INSTALL_TIME_LIMIT_MS, async () => {
    if (!(await hasPackages())) await installNpmPackages(say);
    if (findRedis() === undefined) await installRedis(say);
  });
}

/** The paths of the programs of Redis and Restate, once `ensurePeers` has installed them; PostgreSQL is started by scripts/lib. */
export function peerServers() {
  const require = createRequire(join(PEERS_FOLDER, 'package.json'));
  const { platform, arch } = process;
  return {
    redis: findRedis(),
    restate: require.resolve(`@restatedev/restate-server-${platform}-${arch}/bin/restate-server`),
  };
}

function findRedis() {
  return REDIS_PROGRAMS.find((file) => isExecutable(file));
}

async function hasPackages() {
  const file = join(PEERS_FOLDER, 'package.json');
  if (!existsSync(file)) return false;
  const { dependencies } = JSON.parse(await readFile(file, 'utf8'));
  return JSON.stringify(dependencies) === JSON.stringify(PACKAGES);
}

/** Installs the npm packages of the peers. The rename is the last step, so that an interrupted installation is repeated. */
async function installNpmPackages(say) {
  say('Getting the packages of Restate, BullMQ and pg-boss (once) …');
  const work = `${PEERS_FOLDER}.work`;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  await writeFile(join(work, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }));
  const { command, first } = npmCommand();
  const args = [...first, 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)(command, args, { cwd: work, timeout: INSTALL_TIME_LIMIT_MS });
  await rm(PEERS_FOLDER, { recursive: true, force: true });
  await rename(work, PEERS_FOLDER);
}

async function installRedis(say) {
  say('Getting Redis (once) …');
  if (process.getuid?.() !== 0) return unpackPackages(['redis-server'], UNPACKED_REDIS);
  return withLock(join(tmpdir(), 'batuta-apt.lock'), INSTALL_TIME_LIMIT_MS, async () => {
    // Without this file Debian's package starts a machine-wide server.
    const policy = '/usr/sbin/policy-rc.d';
    const own = !existsSync(policy);
    if (own) await writeFile(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
    try {
      await installPackages(['redis-server']);
    } finally {
      if (own) await rm(policy);
    }
  });
}
