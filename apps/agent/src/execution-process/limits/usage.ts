import { readdirSync, readFileSync } from 'node:fs';
import type { ResourceUsage } from '../messages';

const TICKS_A_SECOND = 100;
/** Indexes of fields in /proc/<pid>/stat, counted after the name of the program. */
const [GROUP, USER_TICKS, SYSTEM_TICKS, CHILD_USER_TICKS, CHILD_SYSTEM_TICKS] = [2, 11, 12, 13, 14];

/**
 * Reads in /proc (Linux) the memory and processor time of a process and of its programs with their process groups.
 * Memory that processes share, such as the text of the program, is not counted. Undefined when the process is gone.
 */
export function usageOf(pid: number, programs: readonly number[]): ResourceUsage | undefined {
  const own = usageOfOne(pid);
  if (!own || programs.length === 0) return own;
  const groups = new Set([pid, ...programs]);
  return processes()
    .filter((other) => other !== pid && groups.has(statOf(other)?.[GROUP] ?? 0))
    .map((other) => usageOfOne(other) ?? { memoryBytes: 0, cpuSeconds: 0 })
    .reduce(
      (sum, one) => ({
        memoryBytes: sum.memoryBytes + one.memoryBytes,
        cpuSeconds: sum.cpuSeconds + one.cpuSeconds,
      }),
      own,
    );
}

function usageOfOne(pid: number): ResourceUsage | undefined {
  const stat = statOf(pid);
  const status = textOf(pid, 'status');
  if (!stat || status === undefined) return undefined;
  const ticks = [USER_TICKS, SYSTEM_TICKS, CHILD_USER_TICKS, CHILD_SYSTEM_TICKS].reduce(
    (sum, place) => sum + (stat[place] ?? 0),
    0,
  );
  const [, kilobytes = '0'] = /^RssAnon:\s+(\d+)/m.exec(status) ?? /^VmRSS:\s+(\d+)/m.exec(status) ?? [];
  return { memoryBytes: Number(kilobytes) * 1024, cpuSeconds: ticks / TICKS_A_SECOND };
}

/**
 * The fields of `/proc/<pid>/stat` after the name, which may contain spaces and parentheses; the first one, the state, is a
 * letter and becomes NaN.
 */
function statOf(pid: number): number[] | undefined {
  const text = textOf(pid, 'stat');
  return text
    ?.slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}

function textOf(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return undefined;
  }
}

function processes(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}
