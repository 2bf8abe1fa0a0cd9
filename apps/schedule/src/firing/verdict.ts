import { ApiError } from '@batuta/errors';
import { LATE_MILLISECONDS } from './due';

/** What an attempt to start came to: a final result, or another attempt. */
export type Verdict =
  { result: 'fired' | 'late' } | { result: 'failed' | 'pending'; reason: { code: string; message: string } };

/** Past this long after it was claimed, a firing starts nothing any more. */
export const PENDING_MILLISECONDS = 10 * 60_000;
/** How long execution may take to answer, and to accept: what it reads later than that, it refuses. */
export const ANSWER_MILLISECONDS = 5_000;
/** Longer than an answer may take: of two attempts only one can still be accepted. */
export const LEASE_MILLISECONDS = 10_000;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

/** An accepted start, `lateness` milliseconds after its nominal time. */
export function accepted(lateness: number): Verdict {
  return { result: lateness > LATE_MILLISECONDS ? 'late' : 'fired' };
}

/**
 * A refusal is final. Silence is not: the start may have been accepted, so that execution is asked until it answers.
 * An attempt that came too late (ROUTER_ERROR) or hit a fault (INTERNAL) was not accepted, and is followed by another
 * until the firing has expired.
 */
export function refused(error: unknown, expired: boolean): Verdict {
  const { code, message } = error instanceof ApiError ? error : new ApiError('INTERNAL');
  const again = code === 'UNAVAILABLE' || (!expired && (code === 'ROUTER_ERROR' || code === 'INTERNAL'));
  return { result: again ? 'pending' : 'failed', reason: { code, message } };
}

/** Milliseconds until the next attempt, after so many. */
export function pauseAfter(attempts: number): number {
  return Math.min(FIRST_PAUSE * 2 ** (attempts - 1), LONGEST_PAUSE);
}
