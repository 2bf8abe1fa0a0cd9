/** Tells when the router has not been heard of for too long, connected or not. */
export class SilenceWatch {
  private timer: NodeJS.Timeout | undefined;
  private heardSteady = 0;
  private heardWall = 0;

  constructor(private readonly onSilent: () => void) {}

  heard(): void {
    this.heardSteady = performance.now();
    this.heardWall = Date.now();
  }

  /** From now on, until `stop` or the first silence longer than this. */
  start(graceSeconds: number): void {
    this.stop();
    this.heard();
    const grace = graceSeconds * 1000;
    this.timer = setInterval(
      () => {
        if (this.silentMilliseconds() < grace) return;
        this.stop();
        this.onSilent();
      },
      Math.min(1_000, Math.max(10, grace / 10)),
    );
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** The steady clock stands still while a machine sleeps, the wall clock may be set back: the longer one counts. */
  private silentMilliseconds(): number {
    return Math.max(performance.now() - this.heardSteady, Date.now() - this.heardWall);
  }
}
