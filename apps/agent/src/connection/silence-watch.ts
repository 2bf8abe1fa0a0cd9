import { ElapsedTime } from './elapsed-time';

/** Calls back once the router has sent nothing for the grace period, connected or not. */
export class SilenceWatch {
  private timer: NodeJS.Timeout | undefined;
  private graceMs = 0;
  private readonly sinceLastFrame = new ElapsedTime();

  constructor(private readonly onSilent: () => void) {}

  /**
   * Refuses a frame that is read after the grace period, for example one that waited in the socket while the machine
   * slept.
   */
  frameReceived(): void {
    if (this.isOver()) this.expire();
    this.sinceLastFrame.restart();
  }

  /** Watches until `stop` or the first silence of this length. */
  start(graceMs: number): void {
    this.stop();
    this.frameReceived();
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
