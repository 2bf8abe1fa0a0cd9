'use strict';
const { execFileSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');

const HAS_PROC = existsSync('/proc/self/stat');

/**
 * Pid and start time, which distinguish a process from a later one with the same pid. Undefined when no process runs under that
 * pid; a zombie counts as ended, because a container without an init may never collect it.
 */
function processIdentity(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return HAS_PROC ? identityFromProc(pid) : identityFromPs(pid);
}

function identityFromProc(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return 'ZX'.includes(fields[0]) ? undefined : `${pid}@${fields[19]}`;
  } catch {
    return undefined;
  }
}

function identityFromPs(pid) {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? undefined : `${pid}@${line.replace(/^\S+\s+/, '')}`;
  } catch {
    return undefined;
  }
}

/** Whether the process with this identity still runs. */
function isRunning(pid, identity) {
  return identity !== undefined && processIdentity(pid) === identity;
}

/** The command line of a running process, or '' when it cannot be read. */
function commandLine(pid) {
  try {
    if (HAS_PROC) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/** Sends a signal; no error when the process has ended. */
function sendSignal(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Ends exactly this process: SIGTERM, after the grace period SIGKILL. Resolves when it has ended. */
async function endProcess(pid, identity, graceMs) {
  const deadline = Date.now() + graceMs;
  let killed = false;
  if (isRunning(pid, identity)) {
    sendSignal(pid, 'SIGTERM');
    // A stopped process handles SIGTERM only after it is resumed.
    sendSignal(pid, 'SIGCONT');
  }
  while (isRunning(pid, identity)) {
    if (!killed && Date.now() > deadline) {
      sendSignal(pid, 'SIGKILL');
      killed = true;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

module.exports = { processIdentity, isRunning, commandLine, sendSignal, endProcess };
