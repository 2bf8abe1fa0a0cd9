export interface RetryPolicy {
  /**
   * Milliseconds until the next attempt, 0 for an attempt at once; undefined when the error is final. `failures` counts the failed
   * attempts, including this one.
   */
  pauseAfter: (error: unknown, failures: number) => number | undefined | Promise<number | undefined>;
  /** Waits between attempts, by default with a timer; a rejection ends the retries and is thrown by `retry`. */
  wait?: (milliseconds: number) => Promise<unknown>;
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Calls `attempt` until it succeeds or the policy calls its error final, which is then thrown. The attempt must be safe to repeat. */
export async function retry<T>(
  attempt: (number: number) => Promise<T>,
  { pauseAfter, wait = sleep }: RetryPolicy,
): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      const pause = await pauseAfter(error, number);
      if (pause === undefined) throw error;
      if (pause > 0) await wait(pause);
    }
  }
}
