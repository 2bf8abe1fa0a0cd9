import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMilliseconds, type Backoff } from './backoff';

export interface AbortableRetryOptions {
  backoff: Backoff;
  /** Once this signal aborts, no attempt begins, and a pause ends at once. */
  signal: AbortSignal;
  /** False = the error is final and is thrown. */
  isTransient: (error: unknown) => boolean;
  /** Called with each transient error, before the pause that follows it; not once `signal` has aborted. */
  onRetry?: (error: unknown) => void;
}

/**
 * Calls `attempt` until it succeeds and returns its result, or undefined once `signal` has aborted. After a transient error
 * nobody knows whether the attempt took effect, so it must be safe to repeat. Throws the first error that is not transient.
 */
export async function retryUntilAborted<T>(
  attempt: () => Promise<T>,
  { backoff, signal, isTransient, onRetry }: AbortableRetryOptions,
): Promise<T | undefined> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (signal.aborted) return undefined;
      onRetry?.(error);
    }
    const pause = backoffMilliseconds(failures, backoff, Math.random());
    await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
  }
  return undefined;
}
