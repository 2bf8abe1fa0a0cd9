import { backoffMilliseconds } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import { LATE_AFTER_MS } from './due-times';

/** Why no instance was started, or why the last attempt of a pending firing failed: an error code, PROCESS_PAUSED or MISSED, and a sentence. */
export interface FiringReason {
  code: string;
  message: string;
}

/** The result of one attempt to start a firing: a final firing result, or `pending`, which another attempt follows. */
export type FiringAttemptResult =
  | { result: 'fired' | 'late' }
  | { result: 'failed' | 'pending' | 'skipped'; reason: FiringReason };

/** The reason of a firing whose schedule was created by an account that may no longer schedule the process (interpretation 50). */
export const CREATOR_MAY_NOT_SCHEDULE: FiringReason = {
  code: 'FORBIDDEN',
  message: 'Who created the schedule may no longer schedule the process.',
};

/** The reason of a nominal time that an outage missed. */
export const MISSED_REASON: FiringReason = {
  code: 'MISSED',
  message: 'No schedule service ran when it was due, and it was not caught up.',
};

/** A start is accepted at most this long after its firing was recorded. Attempts may go on longer, to learn whether an earlier one was accepted. */
export const START_PERIOD_MS = 10 * 60_000;
/** Time limit of one attempt. Execution refuses a start that it reads after this time. */
export const ATTEMPT_TIMEOUT_MS = 5_000;
/** Lease of an attempt; longer than its time limit, so that at most one of two attempts can still be accepted. */
export const ATTEMPT_LEASE_MS = 10_000;
/** Pauses between attempts, in milliseconds. */
const ATTEMPT_BACKOFF = { first: 1_000, longest: 30_000 };

/** The result of an accepted start, `delayMs` after the nominal time. */
export function acceptedResult(delayMs: number): FiringAttemptResult {
  return { result: delayMs > LATE_AFTER_MS ? 'late' : 'fired' };
}

/**
 * The result of a start that was not confirmed; `expired` = START_PERIOD_MS is over. A refusal is final. After UNAVAILABLE
 * (no reply) the start may have been accepted, so attempts continue until execution replies. After ROUTER_ERROR (too late)
 * or INTERNAL (a fault) the start was not accepted, and attempts continue until the firing has expired.
 */
export function unconfirmedResult(error: unknown, expired: boolean): FiringAttemptResult {
  const { code, message } = error instanceof ApiError ? error : new ApiError('INTERNAL');
  const retry = code === 'UNAVAILABLE' || (!expired && (code === 'ROUTER_ERROR' || code === 'INTERNAL'));
  return { result: retry ? 'pending' : 'failed', reason: { code, message } };
}

/** Pause in milliseconds, without jitter, between the given attempt (counted from 1) and the next one. */
export function pauseAfterFiringAttempt(attempt: number): number {
  return backoffMilliseconds(attempt, ATTEMPT_BACKOFF, 1);
}
