import { backoffMilliseconds, retry } from '@batuta/async';
import type { Effects } from '../execution/effects';
import type { Journal } from '../execution/journal';
import { StepError } from '../step-error';

const BACKOFF_MS = { first: 500, longest: 30_000 };

/** A failure that a retry may fix. */
export class TransientError extends StepError {
  constructor(
    message: string,
    status: number | null = null,
    /** The minimum pause before the retry, as the server asks for it. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message, status);
  }
}

/**
 * Runs the attempt and repeats it at most `retries` times while it fails with TransientError; throws the last error. `isLast` is true
 * for an attempt without a further retry. No attempt begins while the execution is suspended.
 */
export async function withRetries<Result>(
  retries: number,
  { effects, journal }: { effects: Effects; journal: Journal },
  attempt: (isLast: boolean) => Promise<Result>,
): Promise<Result> {
  const attempts = 1 + retries;
  return retry(
    async (number) => {
      await effects.control.untilMayAct();
      return attempt(number >= attempts);
    },
    {
      pauseAfter: async (error, failures) => {
        if (!(error instanceof TransientError) || failures >= attempts || effects.control.stopped) return undefined;
        const seconds = backoffSeconds(failures, error.retryAfterSeconds, effects.random());
        await journal.warning(`${error.message}; attempt ${failures + 1} of ${attempts} in ${seconds.toFixed(1)} s`);
        return seconds * 1000;
      },
      wait: (milliseconds) => effects.sleep(milliseconds, effects.control.signal),
    },
  );
}

function backoffSeconds(attempt: number, retryAfter: number | undefined, random: number): number {
  return Math.max(backoffMilliseconds(attempt, BACKOFF_MS, random) / 1000, retryAfter ?? 0);
}
