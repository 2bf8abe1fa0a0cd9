'use strict';
const { spawn } = require('node:child_process');
const { closeSync, openSync } = require('node:fs');
const path = require('node:path');
const { setTimeout } = require('node:timers');
const { processIdentity, sendSignal, endProcess } = require('./process-identity.cjs');

const DEFAULT_STOP_GRACE_MS = 15_000;
/** How long a watchdog without children stays: tests start one server after another, and each new watchdog would take 50 ms to start. */
const WATCHDOG_IDLE_TIME_LIMIT_MS = 10_000;
let watchdog;
let watchedCount = 0;
let dismissalTimer;

/**
 * Starts a program that never outlives this process: a watchdog (child-watchdog.cjs) ends it when this process dies, and then removes the
 * folders `removeIfOrphaned`. Output is appended to logFile, or goes to this process's output with `inherit`, or is dropped. The program has its
 * own session, so that a Ctrl-C in the terminal reaches only this process, which stops its children in order. Rejects when it cannot start.
 */
async function startChild({
  command,
  args = [],
  env,
  cwd,
  logFile,
  inherit = false,
  removeIfOrphaned = [],
  graceMs = DEFAULT_STOP_GRACE_MS,
  account = {},
}) {
  const output = logFile ? openSync(logFile, 'a', 0o600) : inherit ? 'inherit' : 'ignore';
  const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', output, output], ...account });
  if (typeof output === 'number') closeSync(output);
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  child.unref();

  const { pid } = child;
  const identity = processIdentity(pid);
  await sendToWatchdog({ watch: { pid, identity, graceMs, removeIfOrphaned } });
  const isAlive = () => child.exitCode === null && child.signalCode === null;

  let stopping;
  const stop = () => (stopping ??= end());
  async function end() {
    if (isAlive()) {
      child.ref();
      await Promise.all([exited, endProcess(pid, identity, graceMs)]);
    }
    await sendToWatchdog({ forget: { pid } });
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

/** Sends a message to the only watchdog of this process, which runs while it has children to watch, and WATCHDOG_IDLE_TIME_LIMIT_MS longer. */
async function sendToWatchdog(message) {
  watchedCount += message.watch ? 1 : -1;
  clearTimeout(dismissalTimer);
  watchdog ??= startWatchdog();
  const current = watchdog;
  await new Promise((resolve, reject) => current.send(message, (error) => (error ? reject(error) : resolve())));
  if (watchedCount === 0 && current === watchdog)
    dismissalTimer = setTimeout(dismissWatchdog, WATCHDOG_IDLE_TIME_LIMIT_MS).unref();
}

function dismissWatchdog() {
  if (watchedCount > 0) return;
  watchdog?.disconnect();
  watchdog = undefined;
}

function startWatchdog() {
  const watcher = spawn(process.execPath, [path.join(__dirname, 'child-watchdog.cjs')], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  watcher.unref();
  watcher.channel.unref();
  return watcher;
}

module.exports = { startChild };
