import { cpuReason, memoryReason, type ProcessLimits } from './limits/process-limits';

/** How a process ended; `code` and `signal` are both null when it could not be started. */
export interface ProcessDeath {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** The last characters that the process wrote to standard error. */
  stderr: string;
  /** Why the agent killed the process for a limit; undefined if it did not. */
  limitReason?: string;
}

/** Returns the rest of a sentence that begins with "the process of the execution". */
export function deathReason({ code, signal, stderr, limitReason }: ProcessDeath, limits: ProcessLimits): string {
  if (limitReason !== undefined) return limitReason;
  if (signal === 'SIGXCPU') return cpuReason(limits);
  if (/out of memory|heap limit/i.test(stderr)) return memoryReason(limits);
  if (signal === 'SIGKILL') return 'was killed (SIGKILL), as an operating system short of memory does';
  if (code === null && signal === null) return 'could not be started';
  return signal === null ? `ended by itself with exit code ${code}` : `died (${signal})`;
}
