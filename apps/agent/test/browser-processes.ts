import { readdirSync, readFileSync } from 'node:fs';

/** For tests: the browsers that this process, or a process that it started, has started. */
export function browserProcesses(): number[] {
  return processesBelow([process.pid], '--remote-debugging-pipe');
}

/** For tests: the processes that show pages. */
export function rendererProcesses(): number[] {
  return processesBelow(browserProcesses(), '--type=renderer');
}

function processesBelow(parents: number[], argument: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return isBelow(pid, parents) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(argument);
      } catch {
        // Ignored: the process has ended.
        return false;
      }
    });
}

function isBelow(pid: number, parents: number[]): boolean {
  if (!(pid > 1)) return false;
  const parent = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return parents.includes(parent) || isBelow(parent, parents);
}
