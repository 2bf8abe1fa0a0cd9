/** Failures that mean that the store at a location is away. */
const MAX_FAILURES = 3;

/** The failures of one round of removals, which tries the other pictures after one that cannot be removed. */
export class RemovalFaults {
  private readonly failures = new Map<string, number>();
  private first: { error: unknown } | undefined;

  add(location: string, error: unknown): void {
    this.first ??= { error };
    this.failures.set(location, (this.failures.get(location) ?? 0) + 1);
  }

  /** Whether the round leaves the other pictures at the location for the next one. */
  isAway(location: string): boolean {
    return (this.failures.get(location) ?? 0) >= MAX_FAILURES;
  }

  /** For the end of the round. */
  throwFirst(): void {
    if (this.first) throw this.first.error;
  }
}
