import type { DesiredState } from '@batuta/contracts';

/**
 * What is wanted of one execution (interpretation 6). Pause and resume take effect between two steps; stop and drop at once, by
 * aborting `signal`, which every wait, call and script listens to.
 */
export class Control {
  private wanted: DesiredState = 'run';
  private readonly aborter = new AbortController();
  private wake: (() => void)[] = [];

  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  get stopped(): boolean {
    return this.signal.aborted;
  }

  get paused(): boolean {
    return this.wanted === 'pause' && !this.stopped;
  }

  /** A stop is final: nothing that comes later takes it back. */
  want(state: DesiredState): void {
    if (this.stopped) return;
    this.wanted = state;
    if (state === 'stop') this.aborter.abort();
    if (state !== 'pause') this.wakeAll();
  }

  /** Ends the execution because nobody will accept its outcome any more. */
  drop(): void {
    this.want('stop');
  }

  /** Returns once the execution is neither paused nor about to be: it runs or is stopped. */
  async untilNotPaused(): Promise<void> {
    while (this.paused) {
      await new Promise<void>((resolve) => {
        this.wake.push(resolve);
      });
    }
  }

  private wakeAll(): void {
    for (const wake of this.wake.splice(0)) wake();
  }
}
