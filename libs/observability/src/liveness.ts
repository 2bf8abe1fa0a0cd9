/**
 * How long a task may make no progress: longer than any task of a service takes, given the time limits of its statements and
 * calls.
 */
const MAX_STALL_MS = 180_000;

/** Watches tasks that must make progress. While one is stuck, `/health/live` fails, so that the service is restarted. */
export class Liveness {
  private readonly watched = new Map<string, () => number>();

  /** `stalledMs`: time since the last progress of the task; 0 while it has nothing to do. */
  watch(name: string, stalledMs: () => number): void {
    this.watched.set(name, stalledMs);
  }

  /** The names of the stuck tasks. */
  stuckTasks(): string[] {
    return [...this.watched].flatMap(([name, stalledMs]) => (stalledMs() > MAX_STALL_MS ? [name] : []));
  }
}
