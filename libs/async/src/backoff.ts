export interface Backoff {
  /** Upper bound of the pause after the first failure, in milliseconds. */
  first: number;
  /** Upper bound of every pause, in milliseconds. */
  longest: number;
}

/**
 * Milliseconds to pause after the given number of failures (1 or more): the upper bound doubles with each failure from `first` up to
 * `longest`, and `random` (0 to 1) spreads the pause from one half of that bound to the whole, so that clients that failed together
 * do not return together.
 */
export function backoffMilliseconds(failures: number, { first, longest }: Backoff, random: number): number {
  const doubled = first * 2 ** Math.min(failures - 1, 30);
  return Math.min(doubled, longest) * (0.5 + random / 2);
}
