/** Pid and start time, which distinguish a process from a later one with the same pid; undefined when no process runs under the pid. */
export function processIdentity(pid: number): string | undefined;
/** Whether the process with this identity still runs. */
export function isRunning(pid: number, identity: string | undefined): boolean;
