/**
 * The time since the last `restart`, or since `wall` if that was given, as milliseconds of the wall clock. The longer of two measured times counts, because the monotonic clock stops while a
 * machine sleeps, and the wall clock may be set back.
 */
export class ElapsedTime {
  private monotonic = performance.now();
  private wall = Date.now();

  restart(wall = Date.now()): void {
    this.monotonic = performance.now();
    this.wall = wall;
  }

  get milliseconds(): number {
    return Math.max(performance.now() - this.monotonic, Date.now() - this.wall);
  }
}
