import { BatutaError, BatutaUnreachable } from './error';

const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 5_000;

/**
 * Milliseconds to wait before a call that is safe to repeat is worth another try; undefined = it is not. `failures` counts
 * those so far, this one included; `random` is from 0 to 1 and spreads clients that failed together.
 */
export function pauseAfter(error: unknown, failures: number, random: number): number | undefined {
  const pause = Math.min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE) * (0.5 + random / 2);
  if (error instanceof BatutaUnreachable) return pause;
  if (!(error instanceof BatutaError)) return undefined;
  if (error.status === 429) return Math.max((error.retryAfter ?? 1) * 1_000, pause);
  // An offline agent without a queue is a refusal like any other: nobody knows when it comes back.
  return error.status >= 500 && error.code !== 'AGENT_OFFLINE' ? pause : undefined;
}

export interface Patience {
  /** Milliseconds in which the call has to succeed. */
  within: number;
  signal?: AbortSignal;
}

/** Repeats the call while that is worth it, and then throws its last error. The call has to be safe to repeat. */
export async function repeated<T>(call: () => Promise<T>, { within, signal }: Patience): Promise<T> {
  const deadline = Date.now() + within;
  for (let failures = 1; ; failures += 1) {
    try {
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      const pause = pauseAfter(error, failures, Math.random());
      if (pause === undefined || Date.now() + pause > deadline) throw error;
      await sleep(pause, signal);
    }
  }
}

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
