'use strict';
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { readFileSync, readdirSync, rmSync, statSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { withLock } = require('./file-lock.cjs');
const { ROOT } = require('./find-servers.cjs');

/** File times may be coarser than the clock; new files must not look old. */
const CLOCK_SLACK_MS = 2_000;
const BUILD_TIME_LIMIT_MS = 5 * 60_000;
/** Files outside of apps and libs on which the build depends. */
const OTHER_BUILD_INPUTS = [
  'nest-cli.json',
  'tsconfig.json',
  'package-lock.json',
  ...[
    'build.mjs',
    'lib/bundle.cjs',
    'lib/agent-package.cjs',
    'lib/client-package.cjs',
    'lib/cli-package.cjs',
    'lib/keep-compiled.cjs',
    'lib/launch-bundle.cjs',
    'lib/stack-traces.cjs',
    'lib/web-build.cjs',
    'lib/package-code.cjs',
  ].map((name) => `scripts/${name}`),
];
const BUILD_SCRIPT = path.join(ROOT, 'scripts', 'build.mjs');
const STAMP_FILE = path.join(ROOT, 'dist', '.sources');

/**
 * Runs the build when the sources have changed since the last build by this function, and throws when it fails. An unchanged dist stays
 * untouched, because another run of this checkout may be loading files from it.
 */
async function ensureBuilt({ say = () => {} } = {}) {
  await withLock(path.join(ROOT, '.local', 'build.lock'), BUILD_TIME_LIMIT_MS, async () => {
    const sources = hashSources();
    if (readStamp() === sources) return;
    say('Building …');
    const startedAt = Date.now();
    // Removes the stamp, because an interrupted build must not count as complete.
    rmSync(STAMP_FILE, { force: true });
    const { status, stdout, stderr } = spawnSync(process.execPath, [BUILD_SCRIPT], { cwd: ROOT, encoding: 'utf8' });
    if (status !== 0) throw new Error(`the build failed:\n${stdout}${stderr}`);
    removeBuiltBefore(startedAt);
    writeFileSync(STAMP_FILE, sources);
  });
}

/**
 * Removes the files that the build has not written again, which are the output of deleted sources. Emptying dist before the build would break
 * programs that run from it.
 */
function removeBuiltBefore(time) {
  for (const file of filesUnder(path.join(ROOT, 'dist'))) {
    if (statSync(file).mtimeMs < time - CLOCK_SLACK_MS) rmSync(file);
  }
}

function hashSources() {
  const hash = createHash('sha256');
  const settings = OTHER_BUILD_INPUTS.map((name) => path.join(ROOT, name));
  for (const file of [...settings, ...filesUnder(path.join(ROOT, 'apps')), ...filesUnder(path.join(ROOT, 'libs'))]) {
    hash
      .update(`${path.relative(ROOT, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .toSorted();
}

function readStamp() {
  try {
    return readFileSync(STAMP_FILE, 'utf8');
  } catch {
    return undefined;
  }
}

module.exports = { ensureBuilt };
