'use strict';
const { spawn } = require('node:child_process');
const { closeSync, openSync } = require('node:fs');
const path = require('node:path');
const { processIdentity, sendSignal, endProcess } = require('./process-identity.cjs');

const DEFAULT_GRACE_MS = 15_000;
let keeper;
let kept = 0;

/**
 * Starts a program that never outlives this process: a keeper (keeper.cjs) ends it when this process is killed. Its output is
 * appended to logFile, or inherited with `inherit`. It has its own session, so a Ctrl-C in the terminal reaches only this process,
 * which decides the order in which programs stop.
 */
async function startChild({
  command,
  args = [],
  env,
  cwd,
  logFile,
  inherit = false,
  removeIfOrphaned = [],
  graceMs = DEFAULT_GRACE_MS,
}) {
  const output = logFile ? openSync(logFile, 'a', 0o600) : inherit ? 'inherit' : 'ignore';
  const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', output, output] });
  if (typeof output === 'number') closeSync(output);
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  child.unref();

  const { pid } = child;
  const identity = processIdentity(pid);
  await tellKeeper({ watch: { pid, identity, graceMs, removeIfOrphaned } });
  const isAlive = () => child.exitCode === null && child.signalCode === null;

  let stopping;
  const stop = () => (stopping ??= end());
  async function end() {
    if (isAlive()) {
      child.ref();
      await Promise.all([exited, endProcess(pid, identity, graceMs)]);
    }
    await tellKeeper({ forget: { pid } });
  }

  return {
    pid,
    identity,
    exited,
    isAlive,
    stop,
    signal: (name) => {
      if (isAlive()) sendSignal(pid, name);
    },
  };
}

/** One keeper per process, which runs as long as there are children. */
async function tellKeeper(message) {
  kept += message.watch ? 1 : -1;
  keeper ??= startKeeper();
  const current = keeper;
  await new Promise((resolve, reject) => current.send(message, (error) => (error ? reject(error) : resolve())));
  if (kept === 0 && current === keeper) {
    keeper = undefined;
    current.disconnect();
  }
}

function startKeeper() {
  const watcher = spawn(process.execPath, [path.join(__dirname, 'keeper.cjs')], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  watcher.unref();
  watcher.channel.unref();
  return watcher;
}

module.exports = { startChild };
