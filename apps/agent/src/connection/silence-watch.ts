/** Tells when the router has not been heard of for too long, connected or not. */
export class SilenceWatch {
  private timer: NodeJS.Timeout | undefined;
  private grace = 0;
  private heardSteady = 0;
  private heardWall = 0;

  constructor(private readonly onSilent: () => void) {}

  /** A word that comes after the grace, such as one that waited while the machine slept, comes too late. */
  heard(): void {
    if (this.isOver()) this.end();
    this.heardSteady = performance.now();
    this.heardWall = Date.now();
  }

  /** From now on, until `stop` or the first silence longer than this. */
  start(graceSeconds: number): void {
    this.stop();
    this.heard();
    this.grace = graceSeconds * 1000;
    const interval = Math.min(1_000, Math.max(10, this.grace / 10));
    this.timer = setInterval(() => {
      if (this.isOver()) this.end();
    }, interval);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private end(): void {
    this.stop();
    this.onSilent();
  }

  private isOver(): boolean {
    return this.timer !== undefined && this.silentMilliseconds() >= this.grace;
  }

  /** The steady clock stands still while a machine sleeps, the wall clock may be set back: the longer one counts. */
  private silentMilliseconds(): number {
    return Math.max(performance.now() - this.heardSteady, Date.now() - this.heardWall);
  }
}
