/**
 * The limits of one execution; the programs that it starts count as well, where the agent can measure them (Linux). An execution that exceeds
 * its memory or processor time is killed and ends as crashed.
 */
export interface ProcessLimits {
  memoryMegabytes: number;
  cpuSeconds: number;
  /** Maximum number of each OS process by itself: opening one more fails. Not enforced on Windows. */
  openFiles: number;
}

/**
 * Size of V8's heap, at which V8 ends the process. The rest of the memory limit is for files, threads and programs such
 * as a browser.
 */
export function heapMegabytes({ memoryMegabytes }: ProcessLimits): number {
  return Math.floor(memoryMegabytes / 2);
}

const MEMORY_SETTING = 'BATUTA_AGENT_RUN_MEMORY_MB';
const CPU_SETTING = 'BATUTA_AGENT_RUN_CPU_SECONDS';

export function memoryReason({ memoryMegabytes }: ProcessLimits): string {
  return `needed more than its share of ${memoryMegabytes} MB of memory (setting ${MEMORY_SETTING})`;
}

export function cpuReason({ cpuSeconds }: ProcessLimits): string {
  return `needed more than ${cpuSeconds} s of processor time (setting ${CPU_SETTING})`;
}
