import type { DesiredState } from '@batuta/contracts';

/**
 * The desired state of one execution (interpretation 6). Pause and resume take effect between two steps. Stop and drop take
 * effect at once: they abort `signal`, which ends every wait, call and script.
 */
export class Control {
  private desired: DesiredState = 'run';
  private readonly aborter = new AbortController();
  private resumeWaiters: (() => void)[] = [];
  private readonly watchers: ((state: DesiredState) => void)[] = [];

  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  get stopped(): boolean {
    return this.signal.aborted;
  }

  get paused(): boolean {
    return this.desired === 'pause' && !this.stopped;
  }

  get state(): DesiredState {
    return this.desired;
  }

  /** Calls the watcher with each later desired state. */
  watch(watcher: (state: DesiredState) => void): void {
    this.watchers.push(watcher);
  }

  /** A stop is final. */
  setDesired(state: DesiredState): void {
    if (this.stopped) return;
    this.desired = state;
    if (state === 'stop') this.aborter.abort();
    if (state !== 'pause') this.wakeAll();
    for (const watcher of this.watchers) watcher(state);
  }

  /** Stops the execution, because the service no longer accepts its reports. */
  drop(): void {
    this.setDesired('stop');
  }

  /** Resolves once the execution is resumed or stopped. */
  async untilNotPaused(): Promise<void> {
    while (this.paused) {
      await new Promise<void>((resolve) => {
        this.resumeWaiters.push(resolve);
      });
    }
  }

  private wakeAll(): void {
    for (const wake of this.resumeWaiters.splice(0)) wake();
  }
}
