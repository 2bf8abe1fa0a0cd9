/** Longer than any work of a service takes with the limits of its statements and calls. */
const MAX_STANDSTILL_MS = 180_000;

/** The work of a service that must go on. While one stands still, `/health/live` fails, so that the service is restarted. */
export class Liveness {
  private readonly watched = new Map<string, () => number>();

  /** `standstillMs`: for how long the work in progress has made no progress, 0 while there is none. */
  watch(name: string, standstillMs: () => number): void {
    this.watched.set(name, standstillMs);
  }

  /** The names of the work that stands still. */
  standing(): string[] {
    return [...this.watched].flatMap(([name, standstillMs]) => (standstillMs() > MAX_STANDSTILL_MS ? [name] : []));
  }
}
