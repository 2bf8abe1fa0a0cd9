const INTERVAL_MS = 60_000;

/** Limits a line of the log to one a minute, because what fails every second may fail for hours. */
export class LogThrottle {
  private nextAt = -Infinity;
  private count = 0;

  /** Counts one event. When its line is due, returns the number of events since the last line, this one included; otherwise undefined. */
  add(): number | undefined {
    this.count += 1;
    const now = performance.now();
    if (now < this.nextAt) return undefined;
    const { count } = this;
    this.nextAt = now + INTERVAL_MS;
    this.count = 0;
    return count;
  }
}
