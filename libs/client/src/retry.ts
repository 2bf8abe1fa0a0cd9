import { backoffMilliseconds, retry as retryByPolicy } from '@batuta/async';
import { BatutaError, BatutaUnreachable, UnsendableCall } from './error';

const RETRY_BACKOFF = { first: 200, longest: 5_000 };

/**
 * Milliseconds until the next attempt of a call that is safe to repeat; undefined when a retry is useless. `failures` counts the
 * failed attempts, including this one; `random` (0 to 1) spreads clients that failed together.
 */
export function pauseAfter(error: unknown, failures: number, random: number): number | undefined {
  const pause = backoffMilliseconds(failures, RETRY_BACKOFF, random);
  if (error instanceof BatutaUnreachable) return pause;
  if (!(error instanceof BatutaError)) return undefined;
  if (error.status === 429) return Math.max((error.retryAfter ?? 1) * 1_000, pause);
  // AGENT_OFFLINE is final: nobody knows when the agent reconnects.
  if (error.status < 500 || error.code === 'AGENT_OFFLINE') return undefined;
  return Math.max((error.retryAfter ?? 0) * 1_000, pause);
}

export interface RetryOptions {
  /** Milliseconds after which no further attempt begins. */
  within: number;
  signal?: AbortSignal;
}

/**
 * Repeats a call until it succeeds. Throws its first error that is final, its last error when the next attempt would begin after `within`, or
 * the reason of `signal`; UnsendableCall when `within` is no number. The call must be safe to repeat.
 */
export async function retry<T>(call: () => Promise<T>, { within, signal }: RetryOptions): Promise<T> {
  requireTimeLimit(within);
  const deadline = Date.now() + within;
  return retryByPolicy(call, {
    pauseAfter: (error, failures) => {
      signal?.throwIfAborted();
      const pause = pauseAfter(error, failures, Math.random());
      return pause === undefined || Date.now() + pause > deadline ? undefined : pause;
    },
    wait: (pause) => sleep(pause, signal),
  });
}

/** Throws UnsendableCall unless it is a number: a call with NaN would be repeated for ever. */
export function requireTimeLimit(within: number): void {
  if (!(within <= Infinity)) throw new UnsendableCall('within: must be a number of milliseconds, or Infinity');
}

/** Resolves after the given time; rejects when `signal` aborts. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal?.reason }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
