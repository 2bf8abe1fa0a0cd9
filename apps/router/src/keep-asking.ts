import { ApiError } from '@batuta/errors';
import { setTimeout as wait } from 'node:timers/promises';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;

/** A fault that may be over soon. After it nobody knows whether the request was done: ask only what may be asked twice. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof ApiError) || error.code === 'UNAVAILABLE' || error.code === 'INTERNAL';
}

/**
 * Asks again, ever more slowly, while the fault is a passing one. Undefined once `over` aborts. A definite refusal
 * is thrown.
 */
export async function keepAsking<T>(
  ask: () => Promise<T>,
  over: AbortSignal,
  onRetry: (error: unknown) => void,
): Promise<T | undefined> {
  for (let pause = FIRST_WAIT_MS; !over.aborted; pause = Math.min(2 * pause, LONGEST_WAIT_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (over.aborted) return undefined;
      onRetry(error);
    }
    await wait(pause * (0.75 + Math.random() / 2), undefined, { signal: over, ref: false }).catch(() => undefined);
  }
  return undefined;
}

/** Awaits `work` for so long at the most; then UNAVAILABLE, whatever becomes of it. */
export async function within<T>(milliseconds: number, work: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ApiError('UNAVAILABLE', `${what} took too long; try again.`)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
