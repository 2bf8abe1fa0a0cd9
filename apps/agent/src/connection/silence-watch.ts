import { ElapsedTime } from './elapsed-time';

/** Calls back once the router has sent nothing for the grace period, connected or not. */
export class SilenceWatch {
  private timer: NodeJS.Timeout | undefined;
  private graceMs = 0;
  private readonly sinceLastFrame = new ElapsedTime();

  constructor(private readonly onSilent: () => void) {}

  /**
   * Begins a new period without frames. A frame that is read only after the grace period, for example because the
   * machine slept, comes too late: `onSilent` is called first.
   */
  onFrame(): void {
    if (this.isOver()) this.expire();
    this.sinceLastFrame.restart();
  }

  /** Watches until `stop`, or until no frame has come for `graceMs`. */
  start(graceMs: number): void {
    this.stop();
    this.onFrame();
    this.graceMs = graceMs;
    const intervalMs = Math.min(1_000, Math.max(10, graceMs / 10));
    this.timer = setInterval(() => {
      if (this.isOver()) this.expire();
    }, intervalMs);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private expire(): void {
    this.stop();
    this.onSilent();
  }

  private isOver(): boolean {
    return this.timer !== undefined && this.sinceLastFrame.milliseconds >= this.graceMs;
  }
}
