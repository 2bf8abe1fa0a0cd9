/**
 * The time since the last `restart`: the longer of the times that two clocks measure, because the monotonic clock stops while a machine
 * sleeps, and the wall clock may be set back.
 */
export class ElapsedTime {
  private monotonic = performance.now();
  private wall = Date.now();

  /** Measures from now on, or from an earlier `wall`, in epoch milliseconds. */
  restart(wall = Date.now()): void {
    this.monotonic = performance.now();
    this.wall = wall;
  }

  get milliseconds(): number {
    return Math.max(performance.now() - this.monotonic, Date.now() - this.wall);
  }
}
