import { readdirSync, readFileSync } from 'node:fs';

/** For tests: the ids of the processes of all browsers that this process, or a process that it started, has started. */
export function browserProcesses(): number[] {
  return processesBelow([process.pid], '--remote-debugging-pipe');
}

/** For tests: the main process of each of these browsers, whose end ends the browser; it is the one whose parent is no browser process. */
export function mainBrowserProcesses(): number[] {
  const all = browserProcesses();
  return all.filter((pid) => !isBelow(pid, all));
}

/** For tests: the ids of the processes of these browsers that show pages. */
export function rendererProcesses(): number[] {
  return processesBelow(browserProcesses(), '--type=renderer');
}

function processesBelow(parents: number[], argument: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && isBelow(pid, parents) && (readProcess(pid, 'cmdline') ?? '').includes(argument));
}

function isBelow(pid: number, parents: number[]): boolean {
  if (!(pid > 1)) return false;
  const parent = Number(/^PPid:\s*(\d+)/m.exec(readProcess(pid, 'status') ?? '')?.[1]);
  return parents.includes(parent) || isBelow(parent, parents);
}

/** The file of the process, or undefined when the process has ended. */
function readProcess(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
