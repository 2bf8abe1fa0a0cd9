import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, platform, setPriority } from 'node:os';

/** The bit of the Linux capability with which a process may raise priorities (CAP_SYS_NICE). */
const SYS_NICE = 1n << 23n;
const { PRIORITY_BELOW_NORMAL } = constants.priority;

/**
 * Lowers the operating-system priority of processes while they load their modules, on machines where the agent may
 * raise it again.
 */
export class Priority {
  private readonly own = getPriority();

  constructor(private readonly mayRaise = canRaise()) {}

  lower(pid: number): void {
    if (this.mayRaise) setThreadPriority(pid, Math.max(this.own, PRIORITY_BELOW_NORMAL));
  }

  /** Gives a process the priority of the agent again. */
  raise(pid: number): void {
    if (!this.mayRaise) return;
    // On Linux each thread has its own priority, so it is raised for every thread.
    for (const thread of threadsOf(pid)) setThreadPriority(thread, this.own);
  }
}

function canRaise(): boolean {
  if (platform() === 'win32') return true;
  if (platform() !== 'linux') return process.getuid?.() === 0;
  try {
    const [, capabilities = '0'] = /^CapEff:\s+(\w+)/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? [];
    return (BigInt(`0x${capabilities}`) & SYS_NICE) !== 0n;
  } catch {
    return false;
  }
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
}

function setThreadPriority(pid: number, priority: number): void {
  // A process that could not be started has the id 0, which the system would read as this process.
  if (pid === 0) return;
  try {
    setPriority(pid, priority);
  } catch {
    // The process has ended, or the system refuses. Either is harmless, because the priority affects only speed.
  }
}
