import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CGROUP_V1 = '/sys/fs/cgroup/cpu';
/** Shares of one processor, by which Kubernetes turns requested processors into the weight of a container. */
const SHARES_PER_PROCESSOR = 1024;

/**
 * A group of processes that runs only while nothing else wants the processors; where Linux schedules sessions as groups (autogroup), the
 * priority of a process alone counts only within its session. Undefined where this user may not create such groups.
 */
export const createIdleGroup = (name) => createGroup(name, 'cpu.idle', '1');

/** A group that gets processors by the weight that Kubernetes gives a container with this request; undefined as above. */
export const createWeightedGroup = (name, processors) =>
  createGroup(name, 'cpu.shares', String(Math.round(processors * SHARES_PER_PROCESSOR)));

function createGroup(name, setting, value) {
  const folder = join(CGROUP_V1, `batuta-abuse-${process.pid}-${name}`);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, setting), value);
  } catch {
    return undefined;
  }
  return {
    add: (pid) => writeFileSync(join(folder, 'cgroup.procs'), String(pid)),
    /** Only after the end of its processes. */
    remove: () => rmdirSync(folder),
  };
}
