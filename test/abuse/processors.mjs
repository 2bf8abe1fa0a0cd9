import { readdirSync, readFileSync } from 'node:fs';

/**
 * Adds to the measured values of `work` how many processors each program used meanwhile (`used`), and how long its threads waited
 * for one, in seconds a second (`waited`); a program that was started again counts from its start. Linux only; empty elsewhere.
 */
export async function withProcessorUse(programs, work) {
  const began = performance.now();
  const before = timesOf(programs);
  const measured = await work();
  const seconds = (performance.now() - began) / 1_000;
  const processors = Object.entries(timesOf(programs)).map(([name, after]) => {
    const since = before[name].pid === after.pid ? before[name] : { used: 0, waited: 0 };
    return [name, { used: (after.used - since.used) / seconds, waited: (after.waited - since.waited) / seconds }];
  });
  return { ...measured, processors: Object.fromEntries(processors) };
}

function timesOf(programs) {
  return Object.fromEntries(Object.entries(programs).map(([name, { pid }]) => [name, { pid, ...threadSeconds(pid) }]));
}

/** Seconds that the threads of a process have used and waited for a processor so far. */
function threadSeconds(pid) {
  const total = { used: 0, waited: 0 };
  for (const thread of threadsOf(pid)) {
    const [used, waited] = schedstatOf(`/proc/${pid}/task/${thread}/schedstat`);
    total.used += used / 1e9;
    total.waited += waited / 1e9;
  }
  return total;
}

function threadsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Nanoseconds on a processor and in its queue; a thread may end at any moment. */
function schedstatOf(file) {
  try {
    return readFileSync(file, 'utf8').split(' ', 2).map(Number);
  } catch {
    return [0, 0];
  }
}
