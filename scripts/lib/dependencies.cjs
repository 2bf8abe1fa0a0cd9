'use strict';
const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { withLock } = require('./file-lock.cjs');
const { ROOT } = require('./find-servers.cjs');

const INSTALL_TIME_LIMIT_MS = 10 * 60_000;

/**
 * Installs the packages of package-lock.json when node_modules lacks them or has other versions. Optional packages may be missing, except those
 * in `required` (paths as in the lock file) that the lock file has.
 */
async function ensureDependencies({ say = () => {}, required = [] } = {}) {
  if (isInstalled(required)) return;
  await withLock(path.join(ROOT, '.local', 'npm.lock'), INSTALL_TIME_LIMIT_MS, async () => {
    if (isInstalled(required)) return;
    say('Installing packages (once) …');
    installFromLock();
  });
}

/** Compares the lock file with node_modules/.package-lock.json, which npm writes only at the end of an installation. */
function isInstalled(required) {
  const wanted = packagesIn(path.join(ROOT, 'package-lock.json'));
  const present = packagesIn(path.join(ROOT, 'node_modules', '.package-lock.json'));
  return Object.entries(wanted).every(
    ([name, { version, optional }]) =>
      name === '' || (optional && !required.includes(name)) || present[name]?.version === version,
  );
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return {};
  }
}

/** Runs `npm install --no-save`, not `npm ci`, which would first remove a folder of packages that another run may be using. */
function installFromLock() {
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--include=dev', '--loglevel=error'];
  const { command, first } = npmCommand();
  const { status } = spawnSync(command, [...first, ...args], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error('npm install failed: see its message above');
}

/** The npm that started this script, else the one on PATH: a program, and the arguments that come `first`. */
function npmCommand() {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js') ? { command: process.execPath, first: [script] } : { command: 'npm', first: [] };
}

module.exports = { ensureDependencies, npmCommand };
