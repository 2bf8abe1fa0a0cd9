import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CGROUP_V1 = '/sys/fs/cgroup/cpu';

/**
 * Moves a process into a group that runs only while nothing else wants the processors: where Linux schedules sessions as groups
 * (autogroup), the priority of the process itself counts only within its own. Returns a function that removes the group after the
 * end of the process, or undefined where this user may not create such groups.
 */
export function moveToIdleGroup(pid) {
  const folder = join(CGROUP_V1, `batuta-abuse-${pid}`);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, 'cpu.idle'), '1');
    writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  } catch {
    return undefined;
  }
  return () => rmdirSync(folder);
}
