import { isRefusal } from './stores/s3-bucket';

/**
 * Refused removals after which a round tries no further picture of a store: a legal hold refuses some pictures, and a wrong access key refuses
 * all. The number exceeds the 500 pictures of a page, so that a sweep that begins with the same page again tries all of it.
 */
const MAX_REFUSALS = 600;
/** A failure that is no refusal, such as a timeout, counts as this many refusals: after three of them the store is away. */
const FAILURE_COUNTS_AS = 200;

/** The failures of one round of removals, which tries the other pictures after one that cannot be removed. */
export class RemovalFaults {
  private readonly counts = new Map<string, number>();
  private first: { error: unknown } | undefined;

  add(location: string, error: unknown): void {
    this.first ??= { error };
    this.counts.set(location, (this.counts.get(location) ?? 0) + (isRefusal(error) ? 1 : FAILURE_COUNTS_AS));
  }

  /** Whether the round leaves the other pictures at the location for the next one. */
  isAway(location: string): boolean {
    return (this.counts.get(location) ?? 0) >= MAX_REFUSALS;
  }

  /** Throws the first failure, if there was one; to be called at the end of the round. */
  throwFirst(): void {
    if (this.first) throw this.first.error;
  }
}
