import type { Logger } from '@batuta/logging';
import type { ExecutionProcess } from './execution-process';

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_DELAY_MS = 60_000;

/** Starts a process; `isSpare` is true while no execution waits for it. */
export type StartProcess = (isSpare: boolean) => ExecutionProcess;

/**
 * Keeps a number of processes with loaded modules ready, so that an execution begins at once. A process runs one
 * execution. Replacements are started one after the other, so that running executions keep the processors.
 */
export class WarmPool {
  private readonly spare: ExecutionProcess[] = [];
  private isFilling = false;
  private closed = false;
  /** Whether the latest process could not be started, or ended before it was ready. */
  private isFailing = false;
  private retryMs = FIRST_RETRY_MS;
  private retryTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly size: number,
    private readonly start: StartProcess,
    private readonly logger: Logger,
  ) {
    void this.fill();
  }

  /** False from the failure of a start until a later start succeeds, which the pool tries again and again. */
  get canStart(): boolean {
    return !this.isFailing;
  }

  /**
   * Returns a process for one execution: a spare process, or else a new process that is not ready yet. Throws when none
   * can be started.
   */
  take(): ExecutionProcess {
    // The replacement starts in the next turn of the event loop, after the execution has begun.
    setImmediate(() => void this.fill());
    while (this.spare.length > 0) {
      const spare = this.spare.shift();
      if (spare?.isUsable) return spare;
      spare?.kill();
    }
    try {
      return this.trackStart(this.start(false));
    } catch (error) {
      this.noteFailure();
      throw error;
    }
  }

  /** Ends the spare processes and starts no further ones; those that were taken run on. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retryTimer);
    const spare = this.spare.splice(0);
    for (const process of spare) process.kill();
    await Promise.all(spare.map(({ gone }) => gone));
  }

  private async fill(): Promise<void> {
    if (this.isFilling) return;
    this.isFilling = true;
    try {
      while (this.shouldStartOne()) await this.addOne();
    } catch (error) {
      this.logger.error({ err: error }, 'no process for an execution could be started');
      this.noteFailure();
    } finally {
      this.isFilling = false;
    }
  }

  /**
   * Whether one more process is to be started. While starts fail the answer is yes even for a full pool, because only a
   * new process shows that the cause is gone.
   */
  private shouldStartOne(): boolean {
    return !this.closed && this.retryTimer === undefined && (this.isFailing || this.spare.length < this.size);
  }

  private async addOne(): Promise<void> {
    const process = this.trackStart(this.start(true));
    this.spare.push(process);
    const lost = this.removeWhenLost(process);
    await process.ready;
    if (process.hasEnded) await lost;
  }

  private trackStart(process: ExecutionProcess): ExecutionProcess {
    void this.recordStartResult(process);
    return process;
  }

  private async recordStartResult(process: ExecutionProcess): Promise<void> {
    await process.ready;
    this.isFailing = process.hasEnded;
    if (process.hasEnded) this.retryLater();
    else this.retryMs = FIRST_RETRY_MS;
  }

  private noteFailure(): void {
    this.isFailing = true;
    this.retryLater();
  }

  private async removeWhenLost(process: ExecutionProcess): Promise<void> {
    const { code, signal, stderr } = await process.gone;
    if (!this.removeSpare(process)) return;
    this.logger.error({ code, signal, stderr }, 'a spare process that waited for an execution ended');
    this.retryLater();
  }

  private removeSpare(process: ExecutionProcess): boolean {
    const place = this.spare.indexOf(process);
    if (place >= 0) this.spare.splice(place, 1);
    return place >= 0;
  }

  /** Starts a replacement after a pause, because the cause of the loss may persist. */
  private retryLater(): void {
    if (this.closed || this.retryTimer !== undefined) return;
    this.retryTimer = setTimeout(() => {
      this.retryTimer = undefined;
      void this.fill();
    }, this.retryMs).unref();
    this.retryMs = Math.min(2 * this.retryMs, MAX_RETRY_DELAY_MS);
  }
}
