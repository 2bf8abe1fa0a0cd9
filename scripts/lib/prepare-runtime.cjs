'use strict';
const { existsSync } = require('node:fs');
const path = require('node:path');
const { startChild } = require('./child.cjs');
const { ensureDependencies } = require('./dependencies.cjs');
const { ROOT } = require('./find-servers.cjs');

const REQUIRED_NODE_MAJOR = 24;
const CHILD_STOP_GRACE_MS = 60_000;
const PARENT_CHECK_INTERVAL_MS = 500;
/**
 * The package with the pinned Node for this machine. The npm package `node` installs it by a script, which npm may skip; therefore package.json
 * names the packages of all platforms as optional dependencies, of which npm installs the one for this machine.
 */
const PINNED_NODE = path.join('node_modules', `node-${process.platform}-${process.arch}`);

/**
 * A script that may need missing packages or another Node calls this first: it installs the packages, then returns if this process runs on
 * Node 24 or newer. On an older Node it runs the script again in a child on the pinned Node 24, exits with the child's exit code and never
 * returns. Throws when packages cannot be installed, or on an older Node without the pinned one. Under npm the script gets a SIGTERM once npm
 * has ended.
 */
async function prepareRuntime({ say = () => {} } = {}) {
  if (process.env.npm_lifecycle_event !== undefined) stopWithParent();
  const isOld = Number.parseInt(process.versions.node, 10) < REQUIRED_NODE_MAJOR;
  await ensureDependencies({ say, required: isOld ? [PINNED_NODE] : [] });
  if (isOld) await continueOnPinnedNode();
}

/** Stops this script like a SIGTERM when its parent has ended: npm passes a SIGTERM on to the shell of the script only, and a SIGHUP to nobody. */
function stopWithParent() {
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_INTERVAL_MS);
  check.unref();
}

async function continueOnPinnedNode() {
  const command = path.join(ROOT, PINNED_NODE, 'bin', 'node');
  if (!existsSync(command)) {
    throw new Error(
      `Batuta needs Node ${REQUIRED_NODE_MAJOR} or newer; this is ${process.version}. Please install it.`,
    );
  }
  const awake = setInterval(() => {}, 60_000);
  const args = [...process.execArgv, ...process.argv.slice(1)];
  const child = await startChild({ command, args, inherit: true, graceMs: CHILD_STOP_GRACE_MS });
  // The child has its own process group, so a Ctrl-C in the terminal reaches it only through this process.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => child.signal(name));
  const { code } = await child.exited;
  clearInterval(awake);
  process.exit(code ?? 1);
}

module.exports = { prepareRuntime };
