import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { platform } from 'node:os';
import type { ProcessLimits } from './process-limits';

const SHELL = '/bin/sh';
const SETPRIV = '/usr/bin/setpriv';

/** Which limits this machine can enforce for a process. */
export interface EnforceableLimits {
  /**
   * Whether a shell can set kernel limits on processor time and open files before it replaces itself by the process.
   */
  shell: boolean;
  /** Whether the kernel can kill the process when the agent dies, even while the process computes. */
  parentDeath: boolean;
  /** Whether the agent can read memory and processor time of the process in /proc. */
  procfs: boolean;
}

export function enforceableLimitsOn(system = platform()): EnforceableLimits {
  const isLinux = system === 'linux';
  return {
    shell: system !== 'win32' && existsSync(SHELL),
    parentDeath: isLinux && existsSync(SETPRIV) && spawnSync(SETPRIV, [...PARENT_DEATH, 'true']).status === 0,
    procfs: isLinux && existsSync('/proc/self/statm'),
  };
}

const PARENT_DEATH = ['--pdeathsig', 'KILL'];

/** The command that `child_process.fork` runs in place of Node: the programs that set the limits, followed by Node. */
export function limitedNode(
  node: string,
  flags: string[],
  { cpuSeconds, openFiles }: ProcessLimits,
  { shell, parentDeath }: EnforceableLimits,
): { execPath: string; execArgv: string[] } {
  const command = [...(parentDeath ? [SETPRIV, ...PARENT_DEATH] : []), node, ...flags];
  if (!shell) return { execPath: command[0] ?? node, execArgv: command.slice(1) };
  // Open files get a hard limit, because Node raises its own soft limit. A limit above the agent's own is lowered to
  // it. When memory runs out, the kernel kills an execution before the agent.
  const limits = `ulimit -c 0; ulimit -S -t ${cpuSeconds}; ulimit -n ${openFiles}; echo 500 >/proc/self/oom_score_adj`;
  return { execPath: SHELL, execArgv: ['-c', `{ ${limits}; } 2>/dev/null; exec "$@"`, 'batuta-agent', ...command] };
}
