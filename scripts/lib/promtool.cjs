'use strict';
const { mkdir } = require('node:fs/promises');
const path = require('node:path');
const { withLock } = require('./file-lock.cjs');
const { ROOT, isExecutable } = require('./find-servers.cjs');
const { INSTALL_TIME_LIMIT_MS, reasonOf, unpackPackages } = require('./install-servers.cjs');

const UNPACKED_PROMETHEUS_FOLDER = path.join(ROOT, '.local', 'prometheus');
const INSTALL_INSTRUCTIONS = 'The tests of alerts need promtool: on Debian apt-get install prometheus';

/**
 * The path of promtool for the tests. A missing one is unpacked from Debian's package in `.local/` and not installed, because the package
 * would start a machine-wide Prometheus.
 */
async function ensurePromtool({ say = () => {} } = {}) {
  const found = findPromtool();
  if (found) return found;
  await mkdir(path.dirname(UNPACKED_PROMETHEUS_FOLDER), { recursive: true });
  await withLock(`${UNPACKED_PROMETHEUS_FOLDER}.lock`, INSTALL_TIME_LIMIT_MS, async () => {
    // The previous holder of the lock has probably unpacked it.
    if (findPromtool()) return;
    say('Getting promtool (once) …');
    // promtool needs no library but the C library.
    await unpackPackages(['prometheus'], UNPACKED_PROMETHEUS_FOLDER, { alone: true });
  }).catch((error) => {
    throw new Error(`${INSTALL_INSTRUCTIONS} (apt could not: ${reasonOf(error)})`);
  });
  const unpacked = findPromtool();
  if (!unpacked) throw new Error(INSTALL_INSTRUCTIONS);
  return unpacked;
}

function findPromtool() {
  const folders = [
    ...(process.env.PATH ?? '').split(path.delimiter),
    '/usr/bin',
    path.join(UNPACKED_PROMETHEUS_FOLDER, 'usr/bin'),
  ];
  return folders
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, 'promtool'))
    .find((file) => isExecutable(file));
}

module.exports = { ensurePromtool };
