import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { sum } from './statistics.mjs';

/** The unit of CPU times in /proc/<pid>/stat (USER_HZ). */
const TICKS_PER_SECOND = 100;
/** Time over which the used share of the processors is measured. */
const SAMPLE_INTERVAL_MS = 2_000;
/** The processors count as idle when at most this share of their time is used. */
const MAX_IDLE_BUSY_SHARE = 0.05;
const MEGABYTE = 1024 * 1024;

/** Microseconds of CPU, user and system, that a process and its children have used so far. Undefined for a process that has ended, and without /proc. */
export function cpuMicroseconds(pid) {
  const stat = readIfPresent(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name in parentheses may contain spaces and parentheses. The times are those of the process and of the children that have ended.
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
  // PostgreSQL has a process for each connection.
  const children = readIfPresent(`/proc/${pid}/task/${pid}/children`)?.match(/\d+/g) ?? [];
  return (sum(ticks) / TICKS_PER_SECOND) * 1e6 + sum(children.map((child) => cpuMicroseconds(child) ?? 0));
}

/** Undefined when the file is missing, also because its process has just ended. */
function readIfPresent(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** The share of the time of all processors that any program uses, 0 to 1, measured over the next two seconds. */
export async function busyShare() {
  const before = processorTimes();
  await sleep(SAMPLE_INTERVAL_MS);
  const after = processorTimes();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

/** Waits for the database's background work after a load: resolves once the processors are nearly idle, or after `seconds`. */
export async function untilIdle(seconds) {
  const deadline = Date.now() + seconds * 1_000;
  while ((await busyShare()) > MAX_IDLE_BUSY_SHARE && Date.now() < deadline);
}

function processorTimes() {
  const times = cpus().map((cpu) => cpu.times);
  const idle = times.reduce((total, one) => total + one.idle, 0);
  return { idle, all: times.reduce((total, one) => total + one.user + one.nice + one.sys + one.irq + one.idle, 0) };
}

/** Resident memory of a process in megabytes (2^20 bytes). */
export function residentMegabytes(pid) {
  const kilobytes = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
  return (kilobytes * 1024) / MEGABYTE;
}

/** Adds up the CPU time that processes use during the calls of `during`. */
export class CpuMeter {
  #pids;
  #used = {};

  /** `pids` = by name, the id of a process, or a list of ids when a program has several processes. */
  constructor(pids) {
    this.#pids = pids;
  }

  /** Runs `work` and resolves to its result. */
  async during(work) {
    const before = this.#read();
    const result = await work();
    const after = this.#read();
    for (const name of Object.keys(this.#pids)) {
      this.#used[name] = (this.#used[name] ?? 0) + (after[name] - before[name]);
    }
    return result;
  }

  /** The CPU time by name in microseconds, divided by this number of requests; NaN where it cannot be read. */
  perRequest(requests) {
    return Object.fromEntries(Object.entries(this.#used).map(([name, used]) => [name, used / requests]));
  }

  #read() {
    return Object.fromEntries(
      Object.entries(this.#pids).map(([name, pids]) => [
        name,
        sum([pids].flat().map((pid) => cpuMicroseconds(pid) ?? Number.NaN)),
      ]),
    );
  }
}
