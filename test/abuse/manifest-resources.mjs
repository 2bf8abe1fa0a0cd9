import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ROOT } from '../../scripts/lib/find-servers.cjs';

const UNIT_BYTES = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };
const CGROUP_V1 = '/sys/fs/cgroup/memory';

/**
 * What a manifest below k8s gives the container with this name: the memory limit in bytes, and the requested number of processors.
 */
export function resourcesOf(name, folder = 'base') {
  const documents = parseAllDocuments(readFileSync(join(ROOT, 'k8s', folder, `${name}.yaml`), 'utf8'));
  const workload = documents.map((document) => document.toJS()).find(({ spec }) => spec?.template);
  const { limits, requests } = workload.spec.template.spec.containers.find((one) => one.name === name).resources;
  const [, number, unit] = /^(\d+)(Ki|Mi|Gi)$/.exec(limits.memory);
  const [, processors, milli] = /^(\d+)(m?)$/.exec(requests.cpu);
  return { bytes: Number(number) * UNIT_BYTES[unit], processors: Number(processors) / (milli ? 1_000 : 1) };
}

/**
 * Enforces the limit as a container does: the kernel kills the process that exceeds it. `wrap` returns the command that runs
 * inside. Undefined where this user may not create memory groups (cgroup v1).
 */
export function createMemoryGroup(name, bytes) {
  const parent = ownGroup();
  if (!parent) return undefined;
  const folder = join(parent, `batuta-abuse-${process.pid}-${name}`);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, 'memory.limit_in_bytes'), String(bytes));
  } catch {
    return undefined;
  }
  return {
    wrap: ({ command, args }) => ({
      command: '/bin/sh',
      args: ['-c', 'echo $$ > "$0"/cgroup.procs && exec "$@"', folder, command, ...args],
    }),
    remove: () => rmdirSync(folder),
  };
}

function ownGroup() {
  if (!existsSync(CGROUP_V1)) return undefined;
  const line = readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .find((one) => one.split(':')[1] === 'memory');
  return line && join(CGROUP_V1, line.split(':')[2]);
}

/**
 * Bytes of memory that only this process uses; pages of files do not count, since the kernel can drop them. Undefined after its
 * end and where there is no /proc.
 */
export function memoryUsedBy(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kilobytes = (field) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
    return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024;
  } catch {
    return undefined;
  }
}
