import { backoffMilliseconds } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import { LATE_AFTER_MS } from './due-times';

/** The result of one attempt to start a firing: a final firing result, or `pending`, which another attempt follows. */
export type AttemptResult =
  | { result: 'fired' | 'late' }
  | { result: 'failed' | 'pending' | 'skipped'; reason: { code: string; message: string } };

/** The reason of a firing whose schedule was created by an account that may no longer schedule the process (interpretation 50). */
export const CREATOR_MAY_NOT_SCHEDULE = {
  code: 'FORBIDDEN',
  message: 'Who created the schedule may no longer schedule the process.',
};

/** A firing may be started for this long after it was recorded. */
export const START_PERIOD_MS = 10 * 60_000;
/** Time limit of one attempt. Execution refuses a start that it reads later. */
export const ATTEMPT_TIMEOUT_MS = 5_000;
/** Longer than the time limit of an attempt: only one of two attempts can still be accepted. */
export const ATTEMPT_LEASE_MS = 10_000;
const BACKOFF = { first: 1_000, longest: 30_000 };

/** The result of an accepted start, `delayMs` after the nominal time. */
export function acceptedResult(delayMs: number): AttemptResult {
  return { result: delayMs > LATE_AFTER_MS ? 'late' : 'fired' };
}

/**
 * The result of a start that was not confirmed. A refusal is final. Without an answer (UNAVAILABLE) the start may have been
 * accepted, so that attempts go on until execution answers. An attempt that arrived too late (ROUTER_ERROR) or hit a fault
 * (INTERNAL) was not accepted, and attempts go on until the firing has expired.
 */
export function refusedResult(error: unknown, expired: boolean): AttemptResult {
  const { code, message } = error instanceof ApiError ? error : new ApiError('INTERNAL');
  const retry = code === 'UNAVAILABLE' || (!expired && (code === 'ROUTER_ERROR' || code === 'INTERNAL'));
  return { result: retry ? 'pending' : 'failed', reason: { code, message } };
}

/** Milliseconds from the given attempt (1 or more) to the next. */
export function pauseAfterAttempt(attempt: number): number {
  return backoffMilliseconds(attempt, BACKOFF, 1);
}
