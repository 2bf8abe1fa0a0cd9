import { cpuMicroseconds } from '../../bench/usage.mjs';

/**
 * Adds to the measured values of `work` how many processors each program used meanwhile; a program that was started again counts
 * from its start.
 */
export async function withProcessorUse(programs, work) {
  const began = performance.now();
  const before = secondsUsedBy(programs);
  const figures = await work();
  const seconds = (performance.now() - began) / 1_000;
  const after = secondsUsedBy(programs);
  const processors = Object.entries(after).map(([name, { pid, used }]) => {
    const since = before[name].pid === pid ? before[name].used : 0;
    return [name, (used - since) / 1e6 / seconds];
  });
  return { ...figures, processors: Object.fromEntries(processors) };
}

function secondsUsedBy(programs) {
  const used = Object.entries(programs).map(([name, { pid }]) => [name, { pid, used: secondsUsedSoFar(pid) }]);
  return Object.fromEntries(used);
}

function secondsUsedSoFar(pid) {
  try {
    return cpuMicroseconds(pid) ?? 0;
  } catch {
    return 0;
  }
}
