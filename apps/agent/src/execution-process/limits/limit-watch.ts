import type { ResourceUsage } from '../messages';
import { cpuReason, memoryReason, type ProcessLimits } from './process-limits';
import { usageOf } from './usage';

const CHECK_INTERVAL_MS = 500;

export interface WatchedProcess {
  readonly pid: number;
  /** Process ids of the programs that the process has started and that still run. */
  programs(): number[];
  /** Kills the process; `reason` is the rest of a sentence that begins with "the process of the execution". */
  killForLimit(reason: string): void;
}

/** Kills processes that exceed their limit of memory or processor time. */
export class LimitWatch {
  private readonly watched = new Set<WatchedProcess>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: ProcessLimits,
    /** Reads the memory and processor time of a process; null where the processes report them. */
    private readonly read: ((pid: number, programs: number[]) => ResourceUsage | undefined) | null = usageOf,
  ) {}

  add(process: WatchedProcess): void {
    this.watched.add(process);
    if (this.read) this.timer ??= setInterval(() => this.checkAll(), CHECK_INTERVAL_MS).unref();
  }

  remove(process: WatchedProcess): void {
    this.watched.delete(process);
    if (this.watched.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Kills the process if it exceeds a limit. */
  check(process: WatchedProcess, { memoryBytes, cpuSeconds }: ResourceUsage): void {
    if (memoryBytes > this.limits.memoryMegabytes * 1024 * 1024) process.killForLimit(memoryReason(this.limits));
    else if (cpuSeconds > this.limits.cpuSeconds) process.killForLimit(cpuReason(this.limits));
  }

  private checkAll(): void {
    for (const process of this.watched) {
      const usage = this.read?.(process.pid, process.programs());
      if (usage) this.check(process, usage);
    }
  }
}
